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
        receivedLength = UInt32(clamping: input.count)
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
        _ facts: inout ActionURL.Facts, _ maximumItems: Int
    ) throws(ActionURLError) {
        count = 0
        reserve(url.count + URLReader.room(for: url.count))
        count = url.count
        segments.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        facts = ActionURL.Facts()
        count = try bytes.withUnsafeMutableBufferPointer { bytes throws(ActionURLError) in
            url.withUnsafeBytes { UnsafeMutableRawBufferPointer(bytes).copyMemory(from: $0) }
            var reader = URLReader(bytes, count: url.count)
            try facts.read(from: &reader, &segments, &entries, maximumItems)
            return reader.end
        }
    }
}

extension ActionURL.Facts {
    fileprivate mutating func read(
        from reader: inout URLReader, _ segments: inout [Range<Int>],
        _ entries: inout [QueryItems.Entry], _ maximumItems: Int
    ) throws(ActionURLError) {
        schemeLength = UInt32(truncatingIfNeeded: try reader.readScheme())
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
            if let odd { oddHostPosition = UInt32(truncatingIfNeeded: odd) }
            try append(host, to: &segments, reader.bytes)
        }
        hostIsSegment = true
    }

    private func readPath(
        from reader: inout URLReader, _ segments: inout [Range<Int>]
    ) throws(ActionURLError) {
        let mayNameCallbackHost = reader.position == Int(schemeLength) + 1
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
            if reader.isProtocolName(name.decoded) {
                try keep(value, as: name, reader)
            } else {
                entries.append(
                    QueryItems.Entry(
                        name: name.decoded, value: value.decoded, encodedName: name.received,
                        encodedValue: value.received, hasValue: hasValue))
            }
        } while reader.skip(UInt8(ascii: "&"))
    }

    /// Stores a protocol item if it has an effect.
    private mutating func keep(_ value: URLPart, as name: URLPart, _ reader: URLReader) throws(ActionURLError) {
        guard let item = reader.protocolItem(named: name.decoded) else { return }
        guard protocolValues[item.rawValue].isAbsent else {
            throw ActionURLError(.repeatedItem(item.name), at: name.received.lowerBound)
        }
        protocolValues[item.rawValue] = ByteRange(value.decoded)
    }
}

/// Whether a host is the reserved host of the protocol, ignoring case.
private func isCallbackHost(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
    let name: StaticString = "x-callback-url"
    guard host.count == name.utf8CodeUnitCount else { return false }
    let host = UnsafeBufferPointer(bytes).span.extracting(host)
    return name.withUTF8Buffer { areEqualIgnoringCase(host, $0.span) }
}

/// Whether a byte indicates a user name, a port or an address in brackets.
private func isOddInHost(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "@") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
}

/// Whether a decoded name is reserved for the protocol: it starts with `x-`, in any case.
package func isProtocolName(_ name: Span<UInt8>) -> Bool {
    name.count >= 2 && name[1] == UInt8(ascii: "-") && asciiLowercase(name[0]) == UInt8(ascii: "x")
}
