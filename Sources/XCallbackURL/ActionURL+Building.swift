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
        var bytes = Array(scheme.utf8)
        // Anything else in a scheme could be read as a path or a query that swallows the action.
        guard !bytes.isEmpty, bytes.indices.allSatisfy({ isSchemeByte(bytes[$0], isFirst: $0 == 0) }) else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        bytes += "://x-callback-url".utf8
        for segment in segments {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(percentEncoding: Array(segment.utf8).span)
        }
        // The trailing slash of `/a/` would swallow an empty last segment.
        if segments.last == "" { throw ActionURLError(.emptySegment, at: bytes.count) }
        let layout = try URLLayout(checking: bytes.span)
        var url: [UInt8] = []
        url.append(callback: bytes.span, layout, adding: items)
        try parse(url.span, maximumItems: Int.max)
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
        storage.append(copying: callback.span)
        protocolValues[ProtocolItem.error.rawValue] = start..<storage.count
    }

    /// Forgets the callbacks of a URL that has a fault.
    package mutating func keepNoCallback() {
        for item in protocolValues.indices { protocolValues[item] = nil }
    }

    /// The decoded value of the one `x-error`, empty if it does not decode; nil if there is none or more than one.
    private static func errorCallback(ofFaulty input: Span<UInt8>) -> [UInt8]? {
        var scanner = URLScanner()
        do {
            _ = try scanner.readScheme(input)
        } catch {
            return nil
        }
        var end = scanner.position
        while end < input.count, input[end] != UInt8(ascii: "#") { end += 1 }
        var start = scanner.position
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
    guard end < piece.count, let name = percentDecoded(piece.extracting(0..<end)),
        protocolItem(named: name.span) == .error
    else { return nil }
    return percentDecoded(piece.extracting(end + 1..<piece.count)) ?? []
}
