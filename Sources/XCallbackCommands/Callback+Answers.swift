import XCallbackURL

extension Callback {
    /// How many items of its own query a callback may have lost to added ones and still be found in an answer.
    ///
    /// It bounds the search; who uses callbacks of this kind has one or two.
    private static let replacedItemLimit = 64

    /// The items that make an answer out of the callback; nil if none do.
    ///
    /// Where more than one choice does, as items of the callback itself may or may not be added ones, it is the one
    /// with the fewest items.
    func items(addedIn answer: Callback) -> QueryItems? {
        let count = answer.queryPieces.count
        let keptCount = min(count, queryPieces.count)
        for lostCount in 0...min(keptCount, Self.replacedItemLimit) {
            if let items = items(addedIn: answer, count: count - keptCount + lostCount) { return items }
        }
        return nil
    }

    /// The last items of an answer, if adding them to the callback makes the answer; else nil.
    func items(addedIn answer: Callback, count: Int) -> QueryItems? {
        let pieces = answer.queryPieces
        guard count <= pieces.count, bytes[..<layout.pathEnd] == answer.bytes[..<answer.layout.pathEnd] else {
            return nil
        }
        var url = ActionURL()
        do {
            // Any scheme will do: only the query is of interest.
            let query = Array("x:?".utf8) + pieces.suffix(count).joined(separator: [UInt8(ascii: "&")])
            try url.parse(query.span, maximumItems: Int.max)
        } catch {
            return nil
        }
        var rebuilt = ByteBuffer()
        rebuilt.append(callback: bytes.span, layout, adding: url.items)
        return rebuilt.contents == answer.bytes ? url.items : nil
    }

    private var queryPieces: [ArraySlice<UInt8>] {
        guard let query = layout.query else { return [] }
        return bytes[query].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    }
}
