import XCallbackWire

extension ActionURL {
    /// Parses a URL of any syntax into this value and reuses its memory.
    ///
    /// After an error, only the scheme and the syntax are defined.
    ///
    /// - Parameters:
    ///   - input: The URL as received.
    ///   - syntax: The syntax of its scheme.
    ///   - maximumItems: The maximum number of query items.
    /// - Throws: ``ActionURLError`` for the first violated rule.
    @inline(__always)
    package mutating func parse(
        _ input: Span<UInt8>, as syntax: URLSyntax, maximumItems: Int = ActionURL.defaultMaximumItems
    ) throws(ActionURLError) {
        if syntax == .callback {
            try parse(input, maximumItems: maximumItems)
        } else {
            try parseOther(input, syntax, maximumItems)
        }
    }

    @inline(never)
    private mutating func parseOther(
        _ input: Span<UInt8>, _ syntax: URLSyntax, _ maximumItems: Int
    ) throws(ActionURLError) {
        storage.truncate()
        storage.append(input)
        receivedLength = UInt32(clamping: input.count)
        segmentRanges.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        rawSegmentEnds.removeAll()
        facts = Facts()
        facts.syntax = syntax
        let layout = try URLLayout(checking: input, escapes: false)
        facts.schemeLength = layout.schemeEnd
        guard isUTF8(input) else { throw ActionURLError(.notUTF8, at: 0) }
        if syntax == .text { return readText(input) }
        for index in 0..<layout.pathEnd where input[index] == UInt8(ascii: "\\") {
            throw ActionURLError(.backslash, at: index)
        }
        try readAuthority(input, layout)
        try readSegments(input, layout)
        if let query = layout.query { try readItems(input, query, maximumItems) }
    }

    /// Stores the text after the scheme as the only segment.
    private mutating func readText(_ input: Span<UInt8>) {
        let start = Int(facts.schemeLength) + 1
        if start < input.count { segmentRanges.append(start..<input.count) }
    }

    /// The segments that are matched.
    ///
    /// - Parameter skipsSlashes: Whether `//` after the scheme is left out in syntax `text`.
    /// - Returns: Their ranges.
    package func segments(skippingSlashes skipsSlashes: Bool) -> [Range<Int>] {
        guard skipsSlashes, syntax == .text, let text = segmentRanges.first,
            storage.bytes[text].starts(with: "//".utf8)
        else { return segmentRanges }
        let rest = text.dropFirst(2)
        return rest.isEmpty ? [] : [rest]
    }

    /// Stores `//` and the host as segments, or the `:` of a URL without a host, so that no pattern matches both.
    private mutating func readAuthority(_ input: Span<UInt8>, _ layout: URLLayout) throws(ActionURLError) {
        let scheme = input.extracting(layout.scheme)
        let isWeb = areEqualIgnoringCase(scheme, "https") || areEqualIgnoringCase(scheme, "http")
        let end = layout.scheme.upperBound
        guard let range = layout.authority, !range.isEmpty else {
            if isWeb { throw ActionURLError(.missingHost, at: end + 1) }
            return segmentRanges.append(end..<end + 1)
        }
        let authority = try URLAuthority(input, range)
        if isWeb { try authority.checkWebHost(input) }
        let host = comparableHost(input.extracting(authority.host))
        if host.isEmpty { throw ActionURLError(.missingHost, at: authority.host.lowerBound) }
        segmentRanges.append(end + 1..<end + 3)
        segmentRanges.append(store(host))
    }

    /// Splits the path; a slash alone is no path.
    private mutating func readSegments(_ input: Span<UInt8>, _ layout: URLLayout) throws(ActionURLError) {
        var start = layout.authority?.upperBound ?? layout.scheme.upperBound + 1
        if start < layout.pathEnd, input[start] == UInt8(ascii: "/") { start += 1 }
        if start == layout.pathEnd { return }
        while true {
            let end = input.firstIndex(of: UInt8(ascii: "/"), in: start..<layout.pathEnd) ?? layout.pathEnd
            guard segmentRanges.count < ActionURL.maximumSegments else {
                throw ActionURLError(.tooManySegments(limit: ActionURL.maximumSegments), at: start)
            }
            appendSegment(input, start..<end)
            if end == layout.pathEnd { return }
            start = end + 1
        }
    }

    /// Stores a segment; an empty range stands for one that only wildcards match, because programs read it differently.
    private mutating func appendSegment(_ input: Span<UInt8>, _ range: Range<Int>) {
        let text = input.extracting(range)
        let isRaw = range.contains { input[$0] >= 0x80 || "\"<>[]^`{|}".utf8.contains(input[$0]) }
        let (decoded, isDecoded) = decode(input, range)
        let isDots = decoded.count <= 2 && decoded.allSatisfy { storage.bytes[$0] == UInt8(ascii: ".") }
        guard !text.isEmpty, isRaw || isDots || !isDecoded else { return segmentRanges.append(decoded) }
        rawSegmentEnds[decoded.lowerBound] = decoded.upperBound
        segmentRanges.append(decoded.lowerBound..<decoded.lowerBound)
    }

    /// Returns the whole range of a segment or of a capture, even if only wildcards match it.
    package func wholeRange(_ range: Range<Int>) -> Range<Int> {
        guard range.isEmpty, let end = rawSegmentEnds[range.lowerBound] else { return range }
        return range.lowerBound..<end
    }

    private mutating func readItems(
        _ input: Span<UInt8>, _ query: Range<Int>, _ maximumItems: Int
    ) throws(ActionURLError) {
        var start = query.lowerBound
        while start <= query.upperBound {
            let end = input.firstIndex(of: UInt8(ascii: "&"), in: start..<query.upperBound) ?? query.upperBound
            defer { start = end + 1 }
            if start == end { continue }
            guard entries.count < maximumItems else {
                throw ActionURLError(.tooManyItems(limit: maximumItems), at: start)
            }
            let sign = input.firstIndex(of: UInt8(ascii: "="), in: start..<end)
            let (name, value) = (start..<(sign ?? end), (sign.map { $0 + 1 } ?? end)..<end)
            entries.append(
                QueryItems.Entry(
                    name: decode(input, name).range, value: decode(input, value).range, encodedName: name,
                    encodedValue: value, hasValue: sign != nil))
        }
    }

    /// Returns the decoded form of a part, and whether it can be decoded; otherwise it stays as received.
    private mutating func decode(_ input: Span<UInt8>, _ range: Range<Int>) -> (range: Range<Int>, isDecoded: Bool) {
        guard input.firstIndex(of: UInt8(ascii: "%"), in: range) != nil else { return (range, true) }
        guard let decoded = percentDecoded(input.extracting(range)) else { return (range, false) }
        return (store(decoded), true)
    }

    private mutating func store(_ text: [UInt8]) -> Range<Int> {
        let start = storage.count
        storage.append(text.span)
        return start..<storage.count
    }
}

/// Whether a text can fill the rest of a URL of syntax `text`, which is written as it is.
package func isWritableText(_ text: Span<UInt8>) -> Bool {
    !hasRawControl(text) && !(text.count >= 2 && text[0] == UInt8(ascii: "/") && text[1] == UInt8(ascii: "/"))
}

// MARK: - Facts

extension ActionURL {
    /// The syntax of its scheme.
    public var syntax: URLSyntax { facts.syntax }

    /// The text after `#`, as received; nil without `#`, and in syntax `text`.
    public var fragment: String? {
        guard syntax != .text else { return nil }
        let received = storage.bytes[..<receivedCount]
        return received.firstIndex(of: UInt8(ascii: "#")).map {
            String(decoding: received[($0 + 1)...], as: UTF8.self)
        }
    }

    /// The user name, decoded, without a password; nil without one, and in other syntaxes than `url`.
    public var user: String? {
        text(ofAuthority: \.user).map { text in percentDecoded(text.utf8.span).map { String(utf8: $0.span) } ?? text }
    }

    /// The host in lower case, without a final dot, an address of IPv6 in brackets; nil without one, and in other
    /// syntaxes than `url`.
    public var host: String? {
        guard syntax == .url, segmentRanges.count > 1, segmentRanges[0].count == 2 else { return nil }
        return String(utf8: storage.bytes.span.extracting(segmentRanges[1]))
    }

    /// The port in digits; nil without one, and in other syntaxes than `url`.
    public var port: String? { text(ofAuthority: \.port) }

    private func text(ofAuthority part: KeyPath<URLAuthority, Range<Int>>) -> String? {
        guard host != nil else { return nil }
        let received = storage.bytes.span.extracting(0..<receivedCount)
        let start = Int(facts.schemeLength) + 3
        let end = (start..<receivedCount).first { "/?#\0".utf8.contains(received[$0]) } ?? receivedCount
        guard let authority = try? URLAuthority(received, start..<end) else { return nil }
        let range = authority[keyPath: part]
        return range.isEmpty ? nil : String(utf8: received.extracting(range))
    }

}
