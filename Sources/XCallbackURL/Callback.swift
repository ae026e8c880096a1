/// A URL that items can be added to, above all one that takes an answer: the value of `x-success`, for example.
public struct Callback: Hashable, Sendable {
    /// The bytes of the URL.
    package let bytes: [UInt8]
    /// Where its parts lie.
    package let layout: URLLayout

    /// Creates a callback from the text of a URL.
    ///
    /// - Throws: ``ActionURLError`` if it has no scheme, holds a raw blank or control character, or has a bad escape.
    public init(_ text: String) throws(ActionURLError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Creates a callback from the bytes of a URL.
    ///
    /// - Throws: ``ActionURLError``, as ``init(_:)`` does.
    package init(bytes: [UInt8]) throws(ActionURLError) {
        layout = try URLLayout(checking: bytes.span)
        self.bytes = bytes
    }

    /// The URL as it was given.
    public var text: String { String(utf8: bytes.span) }

    /// The URL with items added to its query.
    ///
    /// What the query held stays byte for byte and in order, but for items with the name of a new one: the new one
    /// wins. The new items follow, before the fragment, with all but unreserved characters encoded.
    ///
    /// - Parameter items: What to add.
    /// - Returns: The text of the URL.
    public func url(adding items: QueryItems) -> String {
        var output = ByteBuffer()
        output.append(callback: bytes.span, layout, adding: items)
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }
}

extension ByteBuffer {
    /// Appends a callback with items added to its query, as ``Callback/url(adding:)`` describes.
    ///
    /// - Parameters:
    ///   - callback: The bytes of the callback.
    ///   - layout: Where its parts lie.
    ///   - items: What to add.
    package mutating func append(callback: Span<UInt8>, _ layout: URLLayout, adding items: QueryItems) {
        guard !items.isEmpty else { return append(callback) }
        append(callback.extracting(0..<layout.pathEnd))
        append(UInt8(ascii: "?"))
        let start = count
        if let query = layout.query { append(query: callback.extracting(query), without: items) }
        if count > start, bytes[count - 1] != UInt8(ascii: "&") { append(UInt8(ascii: "&")) }
        append(percentEncoding: items)
        append(callback.extracting(layout.fragmentStart..<callback.count))
    }

    /// Appends items as a query, with all but unreserved characters encoded.
    package mutating func append(percentEncoding items: QueryItems) {
        var isFirst = true
        for index in items.entries.indices {
            let entry = items.entries[index]
            if !isFirst { append(UInt8(ascii: "&")) }
            append(percentEncoding: items.storage.bytes.span.extracting(entry.name))
            if entry.hasValue {
                append(UInt8(ascii: "="))
                append(percentEncoding: items.storage.bytes.span.extracting(entry.value))
            }
            isFirst = false
        }
    }

    /// Appends the pieces of a query, byte for byte, but for those that have the name of one of the items.
    private mutating func append(query: Span<UInt8>, without items: QueryItems) {
        var start = 0
        var isFirst = true
        while start <= query.count {
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
            let piece = query.extracting(start..<end)
            if !isNamed(piece, as: items) {
                if !isFirst { append(UInt8(ascii: "&")) }
                append(piece)
                isFirst = false
            }
            start = end + 1
        }
    }
}

/// Whether a piece of a query has, once decoded, the name of one of the items.
private func isNamed(_ piece: Span<UInt8>, as items: QueryItems) -> Bool {
    var end = 0
    var isEncoded = false
    while end < piece.count, piece[end] != UInt8(ascii: "=") {
        isEncoded = isEncoded || piece[end] == UInt8(ascii: "%")
        end += 1
    }
    if piece.isEmpty { return false }
    let name = piece.extracting(0..<end)
    guard isEncoded else { return has(name, among: items) }
    // A name that does not decode to text is not the name of an item.
    guard let decoded = percentDecoded(name) else { return false }
    return has(decoded.span, among: items)
}

private func has(_ name: Span<UInt8>, among items: QueryItems) -> Bool {
    items.firstIndex(named: name) != nil
}
