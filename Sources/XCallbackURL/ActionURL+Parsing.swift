extension ActionURL {
    /// The limit on the items of a query where no other is given.
    package static let defaultMaximumItems = 256

    /// Parses a URL into this value and reuses its memory.
    ///
    /// After a throw the scheme is known if there is one; everything else has no meaning. A host that is no plain name
    /// is noted, not thrown: whether it matters depends on the scheme.
    ///
    /// - Parameters:
    ///   - input: The URL as received.
    ///   - maximumItems: How many items the query may have.
    /// - Throws: ``ActionURLError`` naming the first rule that the bytes break.
    package mutating func parse(
        _ input: Span<UInt8>, maximumItems: Int = ActionURL.defaultMaximumItems
    ) throws(ActionURLError) {
        storage.truncate()
        storage.append(input)
        receivedLength = UInt32(clamping: input.count)
        parts.reset()
        try Self.parse(&storage, into: &parts, maximumItems)
    }

    private static func parse(
        _ storage: inout ByteBuffer, into parts: inout Parts, _ maximumItems: Int
    ) throws(ActionURLError) {
        try storage.appendDecoded { reader throws(ActionURLError) in
            try parts.read(from: &reader, maximumItems)
        }
    }

    /// Decodes the items for the handler again, with `+` as a space, as HTML forms are written.
    package mutating func decodeItemsAsForm() {
        for index in entries.indices {
            let entry = entries[index]
            parts.entries[index] = QueryItems.Entry(
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
    /// Reads the bytes as a URL, and keeps what is decoded behind them.
    @inline(__always)
    fileprivate mutating func appendDecoded(
        _ read: (inout URLReader) throws(ActionURLError) -> Void
    ) throws(ActionURLError) {
        let received = count
        reserve(URLReader.room(for: received))
        count = try bytes.withUnsafeMutableBufferPointer { bytes throws(ActionURLError) in
            var reader = URLReader(bytes, count: received)
            try read(&reader)
            return reader.end
        }
    }
}

extension ActionURL.Parts {
    /// Forgets everything, and keeps the memory.
    fileprivate mutating func reset() {
        segments.removeAll()
        entries.removeAll()
        schemeLength = 0
        hostIsSegment = false
        oddHostPosition = 0
        forgetCallbacks()
    }

    @inline(__always)
    fileprivate mutating func read(from reader: inout URLReader, _ maximumItems: Int) throws(ActionURLError) {
        schemeLength = UInt32(clamping: try reader.readScheme())
        try readHost(from: &reader)
        try readPath(from: &reader)
        if reader.skip(UInt8(ascii: "?")) { try readQuery(from: &reader, maximumItems) }
        if reader.skip(UInt8(ascii: "#")) { try reader.readFragment() }
    }

    /// Reads `//host`; any host but `x-callback-url` is the first segment of the action.
    @inline(__always)
    private mutating func readHost(from reader: inout URLReader) throws(ActionURLError) {
        guard !reader.skipCallbackHost(), reader.skipSlashes() else { return }
        let host = try reader.readPart(until: [.slash, .question, .hash])
        if host.received.isEmpty || isCallbackHost(reader.bytes, host.received) { return }
        if let offset = host.received.first(where: { isOddInHost(reader.bytes[$0]) }) {
            oddHostPosition = UInt32(clamping: offset)
        }
        try append(segment: host, reader.bytes)
        hostIsSegment = true
    }

    @inline(__always)
    private mutating func readPath(from reader: inout URLReader) throws(ActionURLError) {
        let mayNameCallbackHost = reader.position == Int(schemeLength) + 1
        let hasLeadingSlash = reader.skip(UInt8(ascii: "/"))
        var isFirst = true
        while !reader.isAtEnd {
            let segment = try reader.readPart(until: [.slash, .question, .hash])
            let hasSlash = reader.skip(UInt8(ascii: "/"))
            if segment.received.isEmpty {
                // Only what follows the last slash may be empty, so that `/a/` is `/a`.
                if hasSlash { throw ActionURLError(.emptySegment, at: segment.received.lowerBound) }
                return
            }
            // KDE writes `scheme:/x-callback-url/a` for `scheme://x-callback-url/a`.
            let isHost =
                isFirst && mayNameCallbackHost && hasLeadingSlash && isCallbackHost(reader.bytes, segment.received)
            if !isHost { try append(segment: segment, reader.bytes) }
            isFirst = false
            if !hasSlash { return }
        }
    }

    @inline(__always)
    private mutating func append(
        segment: URLPart, _ bytes: UnsafeMutableBufferPointer<UInt8>
    ) throws(ActionURLError) {
        let decoded = segment.decoded
        if decoded.count <= 2, bytes[decoded.lowerBound] == UInt8(ascii: "."),
            bytes[decoded.upperBound - 1] == UInt8(ascii: ".")
        {
            throw ActionURLError(.dotSegment, at: segment.received.lowerBound)
        }
        segments.append(decoded)
    }

    @inline(__always)
    private mutating func readQuery(
        from reader: inout URLReader, _ maximumItems: Int
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
            let value = hasValue ? try reader.readPart(until: [.ampersand, .hash]) : nil
            try append(name, value, at: reader.position, reader.bytes)
        } while reader.skip(UInt8(ascii: "&"))
    }

    /// Keeps an item for the handler, or for the protocol if its name says so.
    @inline(__always)
    private mutating func append(
        _ name: URLPart, _ value: URLPart?, at end: Int, _ bytes: UnsafeMutableBufferPointer<UInt8>
    ) throws(ActionURLError) {
        let nameText = UnsafeBufferPointer(bytes).span.extracting(name.decoded)
        if !isProtocolName(nameText) {
            let none = Range(uncheckedBounds: (end, end))
            return entries.append(
                QueryItems.Entry(
                    name: name.decoded, value: value?.decoded ?? none, encodedName: name.received,
                    encodedValue: value?.received ?? none, hasValue: value != nil))
        }
        guard let item = protocolItem(named: nameText) else { return }
        guard protocolValues[item.rawValue] == nil else {
            throw ActionURLError(.repeatedItem(item.name), at: name.received.lowerBound)
        }
        protocolValues[item.rawValue] = ByteRange(value?.decoded ?? end..<end)
    }
}

/// Whether a host is the one that the protocol reserves; it is compared without case.
private func isCallbackHost(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
    let name: StaticString = "x-callback-url"
    guard host.count == name.utf8CodeUnitCount else { return false }
    let host = UnsafeBufferPointer(bytes).span.extracting(host)
    return name.withUTF8Buffer { areEqualIgnoringCase(host, $0.span) }
}

/// Whether a byte marks a user name, a port or an address in brackets.
private func isOddInHost(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "@") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
}

/// Whether a decoded name belongs to the protocol: it begins with `x-`, in any case.
@inline(__always)
package func isProtocolName(_ name: Span<UInt8>) -> Bool {
    name.count >= 2 && name[1] == UInt8(ascii: "-") && asciiLowercase(name[0]) == UInt8(ascii: "x")
}

/// The item of the protocol that has a name; only the lower-case names act.
package func protocolItem(named name: Span<UInt8>) -> ActionURL.ProtocolItem? {
    switch name.count {
    case 7: areEqual(name, "x-error") ? .error : nil
    case 8: areEqual(name, "x-source") ? .source : areEqual(name, "x-cancel") ? .cancel : nil
    case 9: areEqual(name, "x-success") ? .success : nil
    default: nil
    }
}
