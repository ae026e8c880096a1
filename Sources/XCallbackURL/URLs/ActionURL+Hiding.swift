import XCallbackBytes

extension ActionURL {
    /// Takes all items with a name out of the URL, so that nothing that sees it can tell what they held.
    ///
    /// Everything else keeps its place in the storage: what is hidden becomes NULs, which no URL holds when it is
    /// received, and ``received`` leaves those out.
    ///
    /// - Parameter name: The decoded name.
    package mutating func hideItems(named name: Span<UInt8>) {
        let all = entries.indices.map { entries[$0] }
        let areHidden = all.map { areEqual(storage.bytes.span.extracting($0.name), name) }
        guard areHidden.contains(true) else { return }
        facts.hidesSomething = true
        entries.removeAll()
        for (entry, isHidden) in zip(all, areHidden) { if isHidden { hide(entry) } else { entries.append(entry) } }
    }

    /// Whether something is hidden.
    package var hidesSomething: Bool { facts.hidesSomething }

    /// What was received, but for what is hidden.
    func visibleText() -> String {
        guard hidesSomething else { return String(utf8: storage.bytes.span.extracting(0..<receivedCount)) }
        return String(decoding: storage.bytes[..<receivedCount].filter { $0 != 0 }, as: UTF8.self)
    }

    private mutating func hide(_ entry: QueryItems.Entry) {
        let end = entry.hasValue ? entry.encodedValue.upperBound : entry.encodedName.upperBound
        erase(entry.encodedName.lowerBound..<end)
        erase(entry.name)
        if entry.hasValue { erase(entry.value) }
        // One of the two marks around it goes too, so that the rest is a query as before.
        if end < receivedCount, storage.bytes[end] == UInt8(ascii: "&") {
            storage.bytes[end] = 0
        } else if let mark = storage.bytes[..<entry.encodedName.lowerBound].lastIndex(where: { $0 != 0 }) {
            storage.bytes[mark] = 0
        }
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range { storage.bytes[index] = 0 }
    }
}
