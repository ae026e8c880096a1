import XCallbackWire

extension QueryItems {
    /// Renames items; each keeps its position and its value.
    ///
    /// A query item that gets the name of a capture is removed, because the capture takes precedence.
    ///
    /// - Parameter newName: Returns the new name of a query item; nil to keep the name.
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

    /// Removes the query items whose names satisfy a condition; captures stay.
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

    /// Replaces all items; those that were also present before keep their received form.
    ///
    /// - Parameter items: The new items, in order. Each value is a single value, even if it contains commas.
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

    /// Whether a capture has a name.
    private func hasCapture(named name: [UInt8]) -> Bool {
        entries.indices.contains { index in
            entries[index].isCapture && areEqual(storage.bytes.span.extracting(entries[index].name), name.span)
        }
    }
}
