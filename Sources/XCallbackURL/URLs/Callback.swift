import XCallbackBytes

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
    package mutating func append(callback: Span<UInt8>, _ layout: URLLayout, adding items: borrowing QueryItems) {
        guard items.entries.count > 0 else { return append(callback) }
        let end = layout.fragmentStart
        let query = callback.extracting(min(layout.pathEnd + 1, end)..<end)
        // Besides the callback and the items nothing is written but a `?` or an `&`.
        write(atMost: callback.count + 1 + items.encodedBound) { output in
            if !query.isEmpty, items.mayHaveName(in: query) {
                output.write(callback.extracting(0..<layout.pathEnd))
                output.write(UInt8(ascii: "?"))
                if output.write(query: query, without: items) { output.write(UInt8(ascii: "&")) }
            } else {
                output.write(callback.extracting(0..<end))
                if layout.pathEnd == end {
                    output.write(UInt8(ascii: "?"))
                } else if !query.isEmpty, query[query.count - 1] != UInt8(ascii: "&") {
                    output.write(UInt8(ascii: "&"))
                }
            }
            output.write(percentEncoding: items)
            if end < callback.count { output.write(callback.extracting(end..<callback.count)) }
        }
    }

    /// Appends items as a query, with all but unreserved characters encoded.
    package mutating func append(percentEncoding items: borrowing QueryItems) {
        let room = items.encodedBound
        write(atMost: room) { $0.write(percentEncoding: items) }
    }
}

extension QueryItems {
    /// How many bytes the items take at most as a query.
    @inline(__always)
    fileprivate var encodedBound: Int {
        var bound = 0
        for index in entries.indices {
            // Each byte may need three; one more for `=`, and one for `&`.
            bound &+= (entries[index].name.count &+ entries[index].value.count) &* 3 &+ 2
        }
        return bound
    }
}

extension ByteWriter {
    /// Writes items as a query, with all but unreserved characters encoded.
    @inline(__always)
    fileprivate mutating func write(percentEncoding items: borrowing QueryItems) {
        let texts = items.storage.bytes.span
        for index in items.entries.indices {
            let entry = items.entries[index]
            if index > 0 { write(UInt8(ascii: "&")) }
            write(percentEncoding: texts.extracting(entry.name))
            if entry.hasValue {
                write(UInt8(ascii: "="))
                write(percentEncoding: texts.extracting(entry.value))
            }
        }
    }
}
