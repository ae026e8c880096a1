import XCallbackWire

/// A piece of a query between two `&`.
struct QueryPiece {
    /// The name as written in the query.
    let name: Range<Int>
    /// The end of the piece.
    let end: Int
    /// Whether the name contains percent-encoded characters.
    let hasEscapes: Bool

    /// The value as written in the query; empty without a `=`.
    var value: Range<Int> { min(name.upperBound + 1, end)..<end }
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

extension OutputSpan<UInt8> {
    /// Appends the pieces of a query byte for byte, except those with the name of an item.
    ///
    /// - Returns: Whether an `&` must follow before more items.
    mutating func append(query: Span<UInt8>, without items: borrowing QueryItems) -> Bool {
        let names = items.manyNames
        var start = 0
        var isFirst = true
        var endsInPart = false
        while start <= query.count {
            let piece = QueryPiece(of: query, from: start)
            if !items.replaces(piece, of: query, names) {
                if !isFirst { append(UInt8(ascii: "&")) }
                append(contentsOf: query.extracting(start..<piece.end))
                endsInPart = !piece.isEmpty
                isFirst = false
            }
            start = piece.end + 1
        }
        return endsInPart
    }
}

extension QueryItems {
    /// The number of items from which names are looked up in a set: a query and an answer can each have thousands.
    private static let manyItems = 64

    /// The names of the items if there are many; otherwise nil.
    fileprivate var manyNames: Set<[UInt8]>? {
        guard entries.count >= Self.manyItems else { return nil }
        let texts = storage.bytes.span
        return Set(entries.indices.map { Array(copying: texts.extracting(entries[$0].name)) })
    }

    /// Whether an item has the name of a piece of a query.
    fileprivate func replaces(_ piece: QueryPiece, of query: Span<UInt8>, _ names: Set<[UInt8]>?) -> Bool {
        if piece.isEmpty { return false }
        let name = query.extracting(piece.name)
        if !piece.hasEscapes, names == nil { return firstIndex(named: name) != nil }
        // A name that does not decode to text matches no item.
        guard let decoded = percentDecoded(name) else { return false }
        return names?.contains(decoded) ?? (firstIndex(named: decoded.span) != nil)
    }
}
