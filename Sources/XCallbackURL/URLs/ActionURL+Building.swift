import XCallbackBytes

extension ActionURL {
    /// Creates the URL of an action.
    ///
    /// Everything but unreserved characters is encoded, so that each segment, name and value is read back as it was
    /// given. Callbacks are given as items named `x-success`, `x-error` and `x-cancel`.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the application.
    ///   - segments: The segments of the action; none may be empty, `.` or `..`.
    ///   - items: The query, in order.
    /// - Throws: ``ActionURLError`` if the scheme or a segment is not valid, or an item of the protocol repeats.
    public init(scheme: String, segments: [String], items: QueryItems = QueryItems()) throws(ActionURLError) {
        var bytes = ByteBuffer()
        bytes.append(scheme.utf8.span)
        // Anything else in a scheme could be read as a path or a query that swallows the action.
        guard !bytes.isEmpty, (0..<bytes.count).allSatisfy({ isSchemeByte(bytes.bytes[$0], isFirst: $0 == 0) }) else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        bytes.append("://x-callback-url".utf8.span)
        for segment in segments {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(percentEncoding: segment.utf8.span)
        }
        // The trailing slash of `/a/` would swallow an empty last segment.
        if segments.last == "" { throw ActionURLError(.emptySegment, at: bytes.count) }
        let callback = try Callback(bytes: bytes.contents)
        var url = ByteBuffer()
        url.append(callback: callback.bytes.span, callback.layout, adding: items)
        try parse(url.contents.span, maximumItems: Int.max)
    }
}

extension ActionURL {
    /// Keeps the one `x-error` of a URL that has a fault elsewhere, so that the fault can be answered to it.
    ///
    /// Only the query is split; an item that does not decode is passed over. More than one `x-error` is none.
    ///
    /// - Parameter input: The URL as received.
    package mutating func keepOnlyErrorCallback(of input: Span<UInt8>) {
        keepNoCallback()
        guard let callback = Self.errorCallback(ofFaulty: input) else { return }
        let start = storage.count
        storage.append(callback.span)
        facts.protocolValues[ProtocolItem.error.rawValue] = ByteRange(start..<storage.count)
    }

    /// Whether the URL has callbacks.
    @inlinable package var hasCallbacks: Bool {
        range(of: .success) != nil || range(of: .error) != nil || range(of: .cancel) != nil
    }

    /// Forgets the callbacks of a URL that has a fault.
    package mutating func keepNoCallback() {
        facts.forgetCallbacks()
    }

    /// The decoded value of the one `x-error`, empty if it does not decode; nil if there is none or more than one.
    private static func errorCallback(ofFaulty input: Span<UInt8>) -> [UInt8]? {
        var position = 0
        while position < input.count, isSchemeByte(input[position], isFirst: position == 0) { position += 1 }
        guard position > 0, position < input.count, input[position] == UInt8(ascii: ":") else { return nil }
        var end = position
        while end < input.count, input[end] != UInt8(ascii: "#") { end += 1 }
        var start = position
        while start < end, input[start] != UInt8(ascii: "?") { start += 1 }
        var found: [UInt8]?
        while start < end {
            start += 1
            let pieceStart = start
            while start < end, input[start] != UInt8(ascii: "&") { start += 1 }
            guard let value = errorValue(of: input.extracting(pieceStart..<start)) else { continue }
            guard found == nil else { return nil }
            found = value
        }
        return found
    }
}

/// The decoded value of a piece of a query that is named `x-error`, empty if it does not decode; else nil.
private func errorValue(of piece: Span<UInt8>) -> [UInt8]? {
    var end = 0
    while end < piece.count, piece[end] != UInt8(ascii: "=") { end += 1 }
    guard let name = percentDecoded(piece.extracting(0..<end)), areEqual(name.span, "x-error") else {
        return nil
    }
    guard end < piece.count else { return [] }
    return percentDecoded(piece.extracting(end + 1..<piece.count)) ?? []
}
