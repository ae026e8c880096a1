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
        // Besides the callback and the items nothing is written but a `?` and an `&`.
        let room = callback.count + 2 + items.encodedBound
        write(atMost: room) { output in
            output.write(callback.extracting(0..<layout.pathEnd))
            output.write(UInt8(ascii: "?"))
            if let query = layout.query, !query.isEmpty {
                let query = callback.extracting(query)
                let hasKept =
                    if let names = items.manyNames {
                        output.write(query: query, without: names)
                    } else {
                        output.write(query: query, without: items)
                    }
                if hasKept { output.write(UInt8(ascii: "&")) }
            }
            output.write(percentEncoding: items)
            output.write(callback.extracting(layout.fragmentStart..<callback.count))
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
    fileprivate var encodedBound: Int {
        var bound = 0
        for index in entries.indices {
            let entry = entries[index]
            // Each byte may need three; one more for `=`, and one for `&`.
            bound += (entry.name.count + entry.value.count) * 3 + 2
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

    /// Writes the pieces of a query, byte for byte, but for those that have a certain name.
    ///
    /// - Returns: Whether an `&` has to part what was written from what follows.
    @inline(__always)
    fileprivate mutating func write(query: Span<UInt8>, without names: some NameList) -> Bool {
        var start = 0
        var isFirst = true
        var endsInPart = false
        while start <= query.count {
            var end = start
            var seen: ByteClass = []
            while end < query.count {
                let byteClass = ByteClass(query[unchecked: end])
                if !byteClass.isDisjoint(with: [.ampersand, .equals]) { break }
                seen.formUnion(byteClass)
                end &+= 1
            }
            let name = query.extracting(start..<end)
            while end < query.count, query[unchecked: end] != UInt8(ascii: "&") { end &+= 1 }
            // An empty piece has no name.
            if end == start || !names.contains(encodedName: name, hasEscapes: seen.contains(.percent)) {
                if !isFirst { write(UInt8(ascii: "&")) }
                write(query.extracting(start..<end))
                endsInPart = end > start
                isFirst = false
            }
            start = end + 1
        }
        return endsInPart
    }
}

/// Names that an item of a query may have.
private protocol NameList {
    /// Whether one of the names is the same as a decoded one.
    func contains(decodedName name: Span<UInt8>) -> Bool
}

extension NameList {
    /// Whether one of the names is the same as one that is given as it stands in a URL.
    @inline(__always)
    func contains(encodedName name: Span<UInt8>, hasEscapes: Bool) -> Bool {
        if contains(decodedName: name) { return true }
        // A name that does not decode to text is not the name of an item.
        guard hasEscapes, let decoded = percentDecoded(name) else { return false }
        return contains(decodedName: decoded.span)
    }
}

extension QueryItems: NameList {
    /// From how many items on names are looked up in a set: both a query and an answer can have thousands.
    private static let manyItems = 64

    /// The names of the items if there are many, else nil.
    fileprivate var manyNames: Set<[UInt8]>? {
        guard entries.count >= Self.manyItems else { return nil }
        let texts = storage.bytes.span
        return Set(entries.indices.map { Array(copying: texts.extracting(entries[$0].name)) })
    }

    @inline(__always)
    fileprivate func contains(decodedName name: Span<UInt8>) -> Bool {
        let texts = storage.bytes.span
        for index in entries.indices {
            let range = entries[index].name
            if range.count == name.count, areEqual(texts.extracting(range), name) { return true }
        }
        return false
    }
}

extension Set<[UInt8]>: NameList {
    fileprivate func contains(decodedName name: Span<UInt8>) -> Bool {
        contains(Array(copying: name))
    }
}
