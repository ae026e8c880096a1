import XCallbackBytes

extension QueryItems {
    /// Gives items another name; each keeps its place and its value.
    ///
    /// An item of the query that gets the name of a capture is left out, as the capture has precedence.
    ///
    /// - Parameter newName: Tells the new name of an item of the query by its name; nil to keep it.
    package mutating func rename(_ newName: (Span<UInt8>) -> [UInt8]?) {
        let changes = entries.indices.map { index in
            entries[index].isCapture ? nil : newName(storage.bytes.span.extracting(entries[index].name))
        }
        guard changes.contains(where: { $0 != nil }) else { return }
        let old = self
        removeAll()
        for (index, change) in changes.enumerated() {
            let entry = old.entries[index]
            guard let change else {
                append(entry, of: old.storage.bytes.span)
                continue
            }
            if old.hasCapture(named: change) { continue }
            append(entry, of: old.storage.bytes.span, named: change.span)
        }
    }

    /// Removes the items of the query whose names a function tells; captures stay.
    package mutating func removeItems(where isUnwanted: (Span<UInt8>) -> Bool) {
        let wanted = entries.indices.map { index in
            entries[index].isCapture || !isUnwanted(storage.bytes.span.extracting(entries[index].name))
        }
        guard wanted.contains(false) else { return }
        let old = self
        removeAll()
        for (index, isWanted) in wanted.enumerated() where isWanted {
            append(old.entries[index], of: old.storage.bytes.span)
        }
    }

    /// Becomes other items; one that is among the old ones stays as it was received.
    ///
    /// - Parameter items: The new items, in order. A value of them is one value, even with commas in it.
    package mutating func replace(with items: [Item]) {
        let old = self
        var isLeft = Array(repeating: true, count: old.count)
        removeAll()
        for item in items {
            if let index = old.indices.first(where: { isLeft[$0] && old[$0] == item }) {
                isLeft[index] = false
                append(old.entries[index], of: old.storage.bytes.span)
            } else {
                appendWhole(item, isCapture: old.hasCapture(named: Array(item.name.utf8)))
            }
        }
    }

    /// Whether an item from the path has a name.
    private func hasCapture(named name: [UInt8]) -> Bool {
        entries.indices.contains { index in
            entries[index].isCapture && areEqual(storage.bytes.span.extracting(entries[index].name), name.span)
        }
    }
}
