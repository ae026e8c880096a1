import XCallbackWire

/// A URL to which items can be added, in particular one that receives an answer, such as the value of `x-success`.
public struct Callback: Hashable, Sendable {
    /// The bytes of the URL.
    package let bytes: [UInt8]
    /// The ranges of its parts.
    package let layout: URLLayout

    /// Creates a callback from the text of a URL.
    ///
    /// - Throws: ``ActionURLError`` if the text has no scheme, contains a raw blank or control character, or has an
    ///   invalid escape.
    public init(_ text: String) throws(ActionURLError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Creates a callback from the bytes of a URL.
    ///
    /// - Throws: ``ActionURLError``, like ``init(_:)``.
    package init(bytes: [UInt8]) throws(ActionURLError) {
        layout = try URLLayout(checking: bytes.span)
        self.bytes = bytes
    }

    /// The URL as given.
    public var text: String { String(utf8: bytes.span) }

    /// Returns the URL with items added to its query.
    ///
    /// The existing query stays byte for byte and in order, except that new items replace items with the same name. The
    /// new items follow, before the fragment, with all but unreserved characters encoded. In a URL of `http` or `https` that
    /// ends in `#`, they are the fragment, which a page can read and which browsers send to no server.
    ///
    /// - Parameter items: The items to add.
    /// - Returns: The text of the URL.
    package func url(adding items: QueryItems) -> String {
        var output = ByteBuffer()
        output.append(callback: bytes.span, layout, adding: items)
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }
}

extension Callback: CustomStringConvertible, CustomReflectable {
    /// The URL as given.
    public var description: String { text }

    /// The URL as given.
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}

extension ByteBuffer {
    /// Appends a callback with items added to its query, as ``Callback/url(adding:)`` describes.
    package mutating func append(callback: Span<UInt8>, _ layout: URLLayout, adding items: borrowing QueryItems) {
        guard items.entries.count > 0 else { return append(callback) }
        let end = layout.fragmentStart
        if end + 1 == callback.count,
            ["http", "https"].contains(String(utf8: callback.extracting(layout.scheme)).lowercased())
        {
            append(callback)
            return append(percentEncoding: items)
        }
        let query = callback.extracting(min(layout.pathEnd + 1, end)..<end)
        // Besides the callback and the items, only a `?` and an `&` are written.
        append(atMost: callback.count + 2 + items.encodedBound) { output in
            output.append(contentsOf: callback.extracting(0..<layout.pathEnd))
            output.append(UInt8(ascii: "?"))
            if output.append(query: query, without: items) { output.append(UInt8(ascii: "&")) }
            output.append(percentEncoding: items)
            output.append(contentsOf: callback.extracting(end..<callback.count))
        }
    }

    /// Appends items as a query, with all but unreserved characters encoded.
    package mutating func append(percentEncoding items: borrowing QueryItems) {
        append(atMost: items.encodedBound) { $0.append(percentEncoding: items) }
    }
}

extension QueryItems {
    /// The maximum number of bytes of the items as a query.
    fileprivate var encodedBound: Int {
        var bound = 0
        for index in entries.indices {
            // Each byte may need three, plus one for `=` and one for `&`.
            bound += (entries[index].name.count + entries[index].value.count) * 3 + 2
        }
        return bound
    }
}

extension OutputSpan<UInt8> {
    /// Appends items as a query; there must be room for ``QueryItems/encodedBound``.
    fileprivate mutating func append(percentEncoding items: borrowing QueryItems) {
        let texts = items.storage.bytes.span
        for index in items.entries.indices {
            let entry = items.entries[index]
            if index > 0 { append(UInt8(ascii: "&")) }
            append(percentEncoding: texts.extracting(entry.name))
            if entry.hasValue {
                append(UInt8(ascii: "="))
                append(percentEncoding: texts.extracting(entry.value))
            }
        }
    }
}
