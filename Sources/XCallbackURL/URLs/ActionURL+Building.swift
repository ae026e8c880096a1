import XCallbackWire

extension ActionURL {
    /// Creates the URL of an action.
    ///
    /// All but unreserved characters are encoded, so that each segment, name and value is decoded unchanged. Callbacks
    /// are given as items named `x-success`, `x-error` and `x-cancel`.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the application.
    ///   - segments: The segments of the action; no segment may be empty, `.` or `..`.
    ///   - items: The query, in order.
    /// - Throws: ``ActionURLError`` if the scheme or a segment is invalid, or if a protocol item repeats.
    public init(scheme: String, segments: [String], items: QueryItems = QueryItems()) throws(ActionURLError) {
        var bytes = ByteBuffer()
        bytes.append(scheme.utf8.span)
        // Any other character in a scheme could turn the action into part of a path or query.
        guard !bytes.isEmpty, (0..<bytes.count).allSatisfy({ isSchemeByte(bytes.bytes[$0], isFirst: $0 == 0) }) else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        bytes.append("://x-callback-url".utf8.span)
        for segment in segments {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(percentEncoding: segment.utf8.span)
        }
        // The trailing slash of `/a/` would hide an empty last segment.
        if segments.last == "" { throw ActionURLError(.emptySegment, at: bytes.count) }
        let callback = try Callback(bytes: bytes.contents)
        var url = ByteBuffer()
        url.append(callback: callback.bytes.span, callback.layout, adding: items)
        try parse(url.contents.span, maximumItems: Int.max)
    }
}

extension ActionURL {
    /// Keeps only the `x-error` of a URL with a fault elsewhere, so that the fault can be reported there.
    ///
    /// Only the query is parsed; an item that cannot be decoded is skipped. A repeated `x-error` is ignored.
    ///
    /// - Parameter input: The URL as received.
    package mutating func keepOnlyErrorCallback(of input: Span<UInt8>) {
        keepNoCallback()
        guard let callback = Self.errorCallback(ofFaulty: input) else { return }
        let start = storage.count
        storage.append(callback.span)
        facts.protocolValues[ProtocolItem.error.rawValue] = ByteRange(start..<storage.count)
    }

    /// Drops the callbacks of a URL with a fault.
    package mutating func keepNoCallback() {
        facts.forgetCallbacks()
    }

    /// Returns the decoded value of the only `x-error`, empty if it cannot be decoded; nil if there is none or more than one.
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

/// Returns the decoded value of a piece of a query with the name `x-error`, empty if it cannot be decoded; otherwise nil.
private func errorValue(of piece: Span<UInt8>) -> [UInt8]? {
    var end = 0
    while end < piece.count, piece[end] != UInt8(ascii: "=") { end += 1 }
    var position = 0
    for byte in "x-error".utf8 where nextDecodedByte(piece, &position) != byte { return nil }
    guard position == end else { return nil }
    guard end < piece.count else { return [] }
    return percentDecoded(piece.extracting(end + 1..<piece.count)) ?? []
}
