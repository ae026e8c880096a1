import XCallbackWire

extension ActionURL {
    /// The default limit of query items.
    package static let defaultMaximumItems = 256
    /// The maximum number of segments: each costs time, and no path of a file has so many.
    static let maximumSegments = 1024

    /// Parses a URL into this value and reuses its memory.
    ///
    /// After an error, only the scheme is defined, if there is one. A host that is not a plain name is recorded and
    /// does not throw: its relevance depends on the scheme.
    ///
    /// - Parameters:
    ///   - input: The URL as received.
    ///   - maximumItems: The maximum number of query items.
    /// - Throws: ``ActionURLError`` for the first violated rule.
    package mutating func parse(
        _ input: Span<UInt8>, maximumItems: Int = ActionURL.defaultMaximumItems
    ) throws(ActionURLError) {
        receivedCount = input.count
        if !rawSegmentEnds.isEmpty { rawSegmentEnds.removeAll() }
        try storage.readURL(input, into: &segmentRanges, &entries, &facts, maximumItems)
    }

    /// Decodes the items for the handler again, with `+` as a space, as in HTML forms.
    package mutating func decodeItemsAsForm() {
        for index in entries.indices {
            let entry = entries[index]
            entries[index] = QueryItems.Entry(
                name: formDecoded(entry.encodedName), value: formDecoded(entry.encodedValue),
                encodedName: entry.encodedName, encodedValue: entry.encodedValue, hasValue: entry.hasValue)
        }
    }

    private mutating func formDecoded(_ range: Range<Int>) -> Range<Int> {
        guard let text = percentDecoded(storage.bytes.span.extracting(range), plusIsSpace: true) else { return range }
        let start = storage.count
        storage.append(text.span)
        return start..<storage.count
    }
}

extension ByteBuffer {
    /// Copies the bytes of a URL, parses them, and stores decoded parts after them.
    fileprivate mutating func readURL(
        _ url: Span<UInt8>, into segments: inout [Range<Int>], _ entries: inout [QueryItems.Entry],
        _ facts: inout ActionURL.URLFacts, _ maximumItems: Int
    ) throws(ActionURLError) {
        count = 0
        reserve(url.count + URLReader.room(for: url.count))
        count = url.count
        segments.clear()
        entries.clear()
        facts = ActionURL.URLFacts()
        count = try bytes.withUnsafeMutableBufferPointer { bytes throws(ActionURLError) in
            url.withUnsafeBytes { UnsafeMutableRawBufferPointer(bytes).copyMemory(from: $0) }
            var reader = URLReader(bytes, count: url.count)
            try facts.read(from: &reader, &segments, &entries, maximumItems)
            return reader.end
        }
    }
}

extension ActionURL.URLFacts {
    fileprivate mutating func read(
        from reader: inout URLReader, _ segments: inout [Range<Int>],
        _ entries: inout [QueryItems.Entry], _ maximumItems: Int
    ) throws(ActionURLError) {
        schemeLength = try reader.readScheme()
        try readHost(from: &reader, &segments)
        try readPath(from: &reader, &segments)
        if reader.skip(UInt8(ascii: "?")) { try readQuery(from: &reader, &entries, maximumItems) }
        if reader.skip(UInt8(ascii: "#")) { try reader.readFragment() }
    }

    /// Parses `//host`; any host except `x-callback-url` is the first segment of the action.
    private mutating func readHost(
        from reader: inout URLReader, _ segments: inout [Range<Int>]
    ) throws(ActionURLError) {
        guard reader.skipSlashes() else { return }
        let host = try reader.readPart(until: [.slash, .question, .hash])
        if host.received.isEmpty || isCallbackHost(reader.bytes, host.received) { return }
        let odd = host.received.first { isOddInHost(reader.bytes[$0]) }
        let last = host.received.upperBound - 1
        // An empty port is no port: `org-protocol://capture:/`.
        if let odd, odd == last, last > host.received.lowerBound, reader.bytes[last] == UInt8(ascii: ":") {
            let decoded = host.decoded.dropLast()
            try append(URLPart(received: host.received.dropLast(), decoded: decoded), to: &segments, reader.bytes)
        } else {
            oddHostOffset = odd
            try append(host, to: &segments, reader.bytes)
        }
        hostIsSegment = true
    }

    private func readPath(
        from reader: inout URLReader, _ segments: inout [Range<Int>]
    ) throws(ActionURLError) {
        let mayNameCallbackHost = reader.position == schemeLength + 1
        let hasLeadingSlash = reader.skip(UInt8(ascii: "/"))
        var isFirst = true
        while !reader.isAtEnd {
            let segment = try reader.readPart(until: [.slash, .question, .hash])
            let hasSlash = reader.skip(UInt8(ascii: "/"))
            if segment.received.isEmpty {
                // Only the part after the last slash can be empty, so that `/a/` is `/a`.
                if hasSlash { throw ActionURLError(.emptySegment, at: segment.received.lowerBound) }
                return
            }
            guard segments.count < ActionURL.maximumSegments else {
                let reason = ActionURLError.Reason.tooManySegments(limit: ActionURL.maximumSegments)
                throw ActionURLError(reason, at: segment.received.lowerBound)
            }
            // KDE writes `scheme:/x-callback-url/a` instead of `scheme://x-callback-url/a`.
            let isHost =
                isFirst && mayNameCallbackHost && hasLeadingSlash && isCallbackHost(reader.bytes, segment.received)
            if !isHost { try append(segment, to: &segments, reader.bytes) }
            isFirst = false
            if !hasSlash { return }
        }
    }

    private func append(
        _ segment: URLPart, to segments: inout [Range<Int>], _ bytes: UnsafeMutableBufferPointer<UInt8>
    ) throws(ActionURLError) {
        let decoded = segment.decoded
        if decoded.count <= 2, bytes[decoded.lowerBound] == UInt8(ascii: "."),
            bytes[decoded.upperBound - 1] == UInt8(ascii: ".")
        {
            throw ActionURLError(.dotSegment, at: segment.received.lowerBound)
        }
        segments.append(decoded)
    }

    private mutating func readQuery(
        from reader: inout URLReader, _ entries: inout [QueryItems.Entry], _ maximumItems: Int
    ) throws(ActionURLError) {
        var count = 0
        repeat {
            let name = try reader.readPart(until: [.ampersand, .equals, .hash])
            let hasValue = reader.skip(UInt8(ascii: "="))
            if name.received.isEmpty && !hasValue { continue }
            count += 1
            guard count <= maximumItems else {
                throw ActionURLError(.tooManyItems(limit: maximumItems), at: name.received.lowerBound)
            }
            let noValue = reader.position..<reader.position
            let value =
                hasValue
                ? try reader.readPart(until: .value) : URLPart(received: noValue, decoded: noValue)
            let decodedName = reader.bytes.span.extracting(name.decoded)
            if isProtocolName(decodedName) {
                try keep(value, named: decodedName, at: name.received.lowerBound)
            } else {
                entries.append(
                    QueryItems.Entry(
                        name: name.decoded, value: value.decoded, encodedName: name.received,
                        encodedValue: value.received, hasValue: hasValue))
            }
        } while reader.skip(UInt8(ascii: "&"))
    }

    /// Stores a protocol item if it has an effect.
    private mutating func keep(_ value: URLPart, named name: Span<UInt8>, at offset: Int) throws(ActionURLError) {
        guard let item = ActionURL.ProtocolItem(name: name) else { return }
        guard protocolValues[item.rawValue].upperBound == 0 else {
            throw ActionURLError(.repeatedItem(item.name), at: offset)
        }
        protocolValues[item.rawValue] = value.decoded
    }
}

/// Whether a host is the reserved host of the protocol, ignoring case.
private func isCallbackHost(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
    areEqualIgnoringCase(bytes.span.extracting(host), "x-callback-url")
}

/// Whether a byte indicates a user name, a port or an address in brackets.
private func isOddInHost(_ byte: UInt8) -> Bool {
    "@:[]".utf8.contains(byte)
}

/// Whether a decoded name is reserved for the protocol: it starts with `x-`, in any case.
package func isProtocolName(_ name: Span<UInt8>) -> Bool {
    name.count >= 2 && name[1] == UInt8(ascii: "-") && asciiLowercase(name[0]) == UInt8(ascii: "x")
}

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
        receivedCount = input.count
        segmentRanges.removeAll(keepingCapacity: true)
        entries.clear()
        rawSegmentEnds.removeAll()
        facts = URLFacts()
        facts.syntax = syntax
        let layout = try URLLayout(checking: input, escapes: false)
        facts.schemeLength = layout.scheme.count
        guard isUTF8(input) else { throw ActionURLError(.notUTF8, at: 0) }
        if syntax == .text { return readText(input) }
        for index in 0..<layout.pathEnd where input[index] == UInt8(ascii: "\\") {
            throw ActionURLError(.backslash, at: index)
        }
        let scheme = input.extracting(layout.scheme)
        let isWeb = areEqualIgnoringCase(scheme, "https") || areEqualIgnoringCase(scheme, "http")
        try readAuthority(input, layout, isWeb: isWeb)
        try readSegments(input, layout, resolvesDots: isWeb)
        if let query = layout.query { try readItems(input, query, maximumItems) }
    }

    /// Stores the text after the scheme as the only segment.
    private mutating func readText(_ input: Span<UInt8>) {
        let start = facts.schemeLength + 1
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
    private mutating func readAuthority(
        _ input: Span<UInt8>, _ layout: URLLayout, isWeb: Bool
    ) throws(ActionURLError) {
        let end = layout.scheme.upperBound
        guard let range = layout.authority, !range.isEmpty else {
            if isWeb { throw ActionURLError(.missingHost, at: end + 1) }
            return segmentRanges.append(end..<end + 1)
        }
        let authority = try URLAuthority(input, range)
        if isWeb { try authority.checkWebHost(input) }
        let host = comparableHost(input.extracting(authority.host))
        if host.isEmpty { throw ActionURLError(.missingHost, at: authority.host.lowerBound) }
        facts.hasPassword = !authority.password.isEmpty
        segmentRanges.append(end + 1..<end + 3)
        // Programs encode other characters in different ways.
        let isPlain = host.allSatisfy { $0 < 0x80 }
        append(store(host), isForWildcards: !isPlain)
    }

    /// Splits the path; a slash alone is no path.
    ///
    /// - Parameters:
    ///   - input: The URL.
    ///   - layout: Its parts.
    ///   - resolvesDots: Whether segments `.` and `..` are removed, with the segments before them, as browsers do.
    /// - Throws: ``ActionURLError`` if there are too many segments.
    private mutating func readSegments(
        _ input: Span<UInt8>, _ layout: URLLayout, resolvesDots: Bool
    ) throws(ActionURLError) {
        let first = segmentRanges.count
        var start = layout.authority?.upperBound ?? layout.scheme.upperBound + 1
        if start < layout.pathEnd, input[start] == UInt8(ascii: "/") { start += 1 }
        if start == layout.pathEnd { return }
        while true {
            let end = input.firstIndex(of: UInt8(ascii: "/"), in: start..<layout.pathEnd) ?? layout.pathEnd
            guard segmentRanges.count < ActionURL.maximumSegments else {
                throw ActionURLError(.tooManySegments(limit: ActionURL.maximumSegments), at: start)
            }
            let dots = resolvesDots ? dotCount(input.extracting(start..<end)) : nil
            if dots == 2, segmentRanges.count > first { segmentRanges.removeLast() }
            if dots == nil { appendSegment(input, start..<end) }
            if end == layout.pathEnd {
                if dots != nil, segmentRanges.count > first { appendSegment(input, end..<end) }
                break
            }
            start = end + 1
        }
        if resolvesDots, segmentRanges.count == first + 1, wholeRange(segmentRanges[first]).isEmpty {
            segmentRanges.removeLast()
        }
    }

    /// Stores a segment; an empty range stands for one that only wildcards match, because programs read it differently.
    private mutating func appendSegment(_ input: Span<UInt8>, _ range: Range<Int>) {
        // The slash before it begins no other segment.
        if range.isEmpty { return segmentRanges.append(range.lowerBound - 1..<range.lowerBound - 1) }
        let isRaw = range.contains { !isQueryByte(input[$0]) }
        let (decoded, isDecoded) = decode(input, range)
        let isDots = decoded.count <= 2 && decoded.allSatisfy { storage.bytes[$0] == UInt8(ascii: ".") }
        append(decoded, isForWildcards: isRaw || isDots || !isDecoded)
    }

    private mutating func append(_ segment: Range<Int>, isForWildcards: Bool) {
        guard isForWildcards else { return segmentRanges.append(segment) }
        rawSegmentEnds[segment.lowerBound] = segment.upperBound
        segmentRanges.append(segment.lowerBound..<segment.lowerBound)
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

/// The number of dots of a segment that browsers resolve: `.` or `..`, also percent-encoded; nil for any other.
private func dotCount(_ segment: Span<UInt8>) -> Int? {
    guard (1...6).contains(segment.count) else { return nil }
    var (position, count) = (0, 0)
    while position < segment.count {
        guard nextDecodedByte(segment, &position) == UInt8(ascii: ".") else { return nil }
        count += 1
    }
    return count <= 2 ? count : nil
}

/// Whether a text can fill the rest of a URL of syntax `text`, which is written as it is.
package func isWritableText(_ text: Span<UInt8>) -> Bool {
    !hasRawControl(text) && !(text.count >= 2 && text[0] == UInt8(ascii: "/") && text[1] == UInt8(ascii: "/"))
}

// MARK: - Facts

extension ActionURL {
    /// The syntax of its scheme.
    package var syntax: URLSyntax { facts.syntax }

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
        return String(utf8: storage.bytes.span.extracting(wholeRange(segmentRanges[1])))
    }

    /// Whether the URL has a password; only in syntax `url`.
    package var hasPassword: Bool { facts.hasPassword }

    /// The password, decoded; nil without one, and in other syntaxes than `url`.
    package var password: String? {
        text(ofAuthority: \.password).map { text in
            percentDecoded(text.utf8.span).map { String(utf8: $0.span) } ?? text
        }
    }

    /// The port in digits; nil without one, and in other syntaxes than `url`.
    public var port: String? { text(ofAuthority: \.port) }

    private func text(ofAuthority part: KeyPath<URLAuthority, Range<Int>>) -> String? {
        guard host != nil else { return nil }
        let received = storage.bytes.span.extracting(0..<receivedCount)
        let start = facts.schemeLength + 3
        let stops: ByteClass = [.slash, .question, .hash, .control]
        let end = (start..<receivedCount).first { !ByteClass(received[$0]).isDisjoint(with: stops) } ?? receivedCount
        guard let authority = try? URLAuthority(received, start..<end) else { return nil }
        let range = authority[keyPath: part]
        return range.isEmpty ? nil : String(utf8: received.extracting(range))
    }

}
