import XCallbackWire

/// A piece of a query between two `&`.
private struct QueryPiece {
    /// The name as written in the query.
    let name: Range<Int>
    /// The end of the piece.
    let end: Int
    /// Whether the name contains percent-encoded characters.
    let hasEscapes: Bool

    /// Whether the piece has neither a name nor a `=`.
    var isEmpty: Bool { end == name.lowerBound }

    /// Finds the piece that starts at a position.
    init(of query: Span<UInt8>, from start: Int) {
        var position = start
        var seen: ByteClass = []
        while position < query.count {
            let byteClass = ByteClass(query[position])
            if !byteClass.isDisjoint(with: [.ampersand, .equals]) { break }
            seen.formUnion(byteClass)
            position += 1
        }
        name = start..<position
        while position < query.count, query[position] != UInt8(ascii: "&") { position += 1 }
        end = position
        hasEscapes = seen.contains(.percent)
    }
}

extension QueryItems {
    /// Returns the items except those whose names a query contains; a list element (`tag.0`) counts as the list.
    ///
    /// - Parameter query: The query as written in a URL.
    /// - Returns: The remaining items, in order.
    package func without(namesIn query: Span<UInt8>) -> QueryItems {
        var names: Set<[UInt8]> = []
        var start = 0
        while start < query.count {
            let piece = QueryPiece(of: query, from: start)
            // A name that does not decode to text matches no item.
            if !piece.isEmpty, let name = percentDecoded(query.extracting(piece.name)) {
                names.insert(listName(of: name))
            }
            start = piece.end + 1
        }
        let texts = storage.bytes.span
        var others = QueryItems()
        for index in entries.indices {
            let entry = entries[index]
            if names.contains(listName(of: Array(copying: texts.extracting(entry.name)))) { continue }
            others.append(entry, of: texts)
        }
        return others
    }
}

/// Returns the name of the list of which an item may be an element, or its own name.
private func listName(of name: [UInt8]) -> [UInt8] {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return name }
    let list = Array(name[..<point])
    guard case .element? = listPlace(of: name.span, in: list) else { return name }
    return list
}

extension ByteWriter {
    /// Writes the pieces of a query byte for byte, except those with the name of an item.
    ///
    /// - Returns: Whether an `&` must follow before more items.
    @inline(never)
    mutating func write(query: Span<UInt8>, without items: borrowing QueryItems) -> Bool {
        if let names = items.manyNames { return write(query: query, withoutAnyOf: names) }
        return write(query: query, withoutAnyOf: copy items)
    }

    private mutating func write(query: Span<UInt8>, withoutAnyOf names: some ItemNames) -> Bool {
        var start = 0
        var isFirst = true
        var endsInPart = false
        while start <= query.count {
            let piece = QueryPiece(of: query, from: start)
            if !names.contains(piece, of: query) {
                if !isFirst { write(UInt8(ascii: "&")) }
                write(query.extracting(start..<piece.end))
                endsInPart = !piece.isEmpty
                isFirst = false
            }
            start = piece.end + 1
        }
        return endsInPart
    }
}

/// A collection of item names.
private protocol ItemNames {
    /// Whether one of the names equals a decoded name.
    func contains(decodedName name: Span<UInt8>) -> Bool
}

extension ItemNames {
    /// Whether a piece of a query is an item with one of the names.
    func contains(_ piece: QueryPiece, of query: Span<UInt8>) -> Bool {
        // An empty piece has no name.
        if piece.isEmpty { return false }
        let name = query.extracting(piece.name)
        guard piece.hasEscapes else { return contains(decodedName: name) }
        // A name that does not decode to text matches no item.
        guard let decoded = percentDecoded(name) else { return false }
        return contains(decodedName: decoded.span)
    }
}

extension QueryItems: ItemNames {
    /// The number of items from which names are looked up in a set: a query and an answer can each have thousands.
    private static let manyItems = 64

    /// The names of the items if there are many; otherwise nil.
    fileprivate var manyNames: Set<[UInt8]>? {
        guard entries.count >= Self.manyItems else { return nil }
        let texts = storage.bytes.span
        return Set(entries.indices.map { Array(copying: texts.extracting(entries[$0].name)) })
    }

    fileprivate func contains(decodedName name: Span<UInt8>) -> Bool {
        let texts = storage.bytes.span
        for index in entries.indices {
            let range = entries[index].name
            if range.count == name.count, areEqual(texts.extracting(range), name) { return true }
        }
        return false
    }
}

extension Set<[UInt8]>: ItemNames {
    fileprivate func contains(decodedName name: Span<UInt8>) -> Bool {
        contains(Array(copying: name))
    }
}
