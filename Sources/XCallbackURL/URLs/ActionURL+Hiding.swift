import XCallbackWire

extension ActionURL {
    /// Removes all items whose names satisfy a condition from the URL, so that their values are not visible anywhere.
    ///
    /// All other parts keep their positions in the storage: hidden bytes become NULs, which no received URL contains,
    /// and ``received`` skips them.
    ///
    /// - Parameter isHidden: The condition for the decoded name.
    package mutating func hideItems(where isHidden: (Span<UInt8>) -> Bool) {
        let all = entries
        let areHidden = all.map { isHidden(storage.bytes.span.extracting($0.name)) }
        guard areHidden.contains(true) else { return }
        facts.hidesSomething = true
        entries.removeAll()
        for (entry, isHidden) in zip(all, areHidden) { if isHidden { hide(entry) } else { entries.append(entry) } }
    }

    /// Whether any item is hidden.
    package var hidesSomething: Bool { facts.hidesSomething }

    /// Returns the received text without hidden items.
    func visibleText() -> String {
        guard hidesSomething else { return String(utf8: storage.bytes.span.extracting(0..<receivedCount)) }
        return String(decoding: storage.bytes[..<receivedCount].filter { $0 != 0 }, as: UTF8.self)
    }

    private mutating func hide(_ entry: QueryItems.Entry) {
        let end = entry.hasValue ? entry.encodedValue.upperBound : entry.encodedName.upperBound
        erase(entry.encodedName.lowerBound..<end)
        erase(entry.name)
        if entry.hasValue { erase(entry.value) }
        // One of the adjacent separators is hidden too, so that the rest is still a valid query.
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
