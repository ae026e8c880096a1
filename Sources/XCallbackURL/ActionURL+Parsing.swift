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
        reset()
        storage.append(input)
        receivedLength = UInt32(clamping: input.count)
        try input.withUnsafeBufferPointer { input throws(ActionURLError) in
            var scanner = URLScanner(input)
            schemeLength = UInt32(clamping: try scanner.readScheme().upperBound)
            try parseHost(&scanner)
            try parsePath(&scanner)
            if scanner.skip(UInt8(ascii: "?")) { try parseQuery(&scanner, maximumItems) }
            if scanner.skip(UInt8(ascii: "#")) { _ = try scanner.read(until: []) }
        }
    }

    private mutating func reset() {
        storage.truncate()
        segmentRanges.removeAll()
        entries.removeAll()
        schemeLength = 0
        receivedLength = 0
        hostIsSegment = false
        oddHostPosition = 0
        for index in protocolValues.indices { protocolValues[index] = nil }
    }

    /// Reads `//host`; any host but `x-callback-url` is the first segment of the action.
    @inline(__always)
    private mutating func parseHost(_ scanner: inout URLScanner) throws(ActionURLError) {
        guard scanner.skipSlashes() else { return }
        let host = try readPart(&scanner, until: [.slash, .question, .hash])
        if host.received.isEmpty || isCallbackHost(scanner.bytes, host.received) { return }
        if let offset = host.received.first(where: { isOddInHost(scanner.bytes[$0]) }) {
            oddHostPosition = UInt32(clamping: offset)
        }
        try appendSegment(host)
        hostIsSegment = true
    }

    @inline(__always)
    private mutating func parsePath(_ scanner: inout URLScanner) throws(ActionURLError) {
        let mayNameCallbackHost = scanner.position == Int(schemeLength) + 1
        let hasLeadingSlash = scanner.skip(UInt8(ascii: "/"))
        var isFirst = true
        while !scanner.isAtEnd {
            let segment = try readPart(&scanner, until: [.slash, .question, .hash])
            let hasSlash = scanner.skip(UInt8(ascii: "/"))
            if segment.received.isEmpty {
                // Only what follows the last slash may be empty, so that `/a/` is `/a`.
                if hasSlash { throw ActionURLError(.emptySegment, at: segment.received.lowerBound) }
                return
            }
            // KDE writes `scheme:/x-callback-url/a` for `scheme://x-callback-url/a`.
            let isHost =
                isFirst && mayNameCallbackHost && hasLeadingSlash
                && isCallbackHost(scanner.bytes, segment.received)
            if !isHost { try appendSegment(segment) }
            isFirst = false
            if !hasSlash { return }
        }
    }

    @inline(__always)
    private mutating func appendSegment(_ segment: Part) throws(ActionURLError) {
        let decoded = segment.decoded
        if decoded.count <= 2, storage.bytes[decoded.lowerBound] == UInt8(ascii: "."),
            storage.bytes[decoded.upperBound - 1] == UInt8(ascii: ".")
        {
            throw ActionURLError(.dotSegment, at: segment.received.lowerBound)
        }
        segmentRanges.append(decoded)
    }

    @inline(__always)
    private mutating func parseQuery(_ scanner: inout URLScanner, _ maximumItems: Int) throws(ActionURLError) {
        var count = 0
        repeat {
            let name = try readPart(&scanner, until: [.ampersand, .equals, .hash])
            let hasValue = scanner.skip(UInt8(ascii: "="))
            if name.received.isEmpty && !hasValue { continue }
            count += 1
            guard count <= maximumItems else {
                throw ActionURLError(.tooManyItems(limit: maximumItems), at: name.received.lowerBound)
            }
            let value =
                hasValue
                ? try readPart(&scanner, until: [.ampersand, .hash]) : Part(scanner.position..<scanner.position)
            let entry = QueryItems.Entry(
                name: name.decoded, value: value.decoded, encodedName: name.received, encodedValue: value.received,
                hasValue: hasValue)
            try add(entry, at: name.received.lowerBound)
        } while scanner.skip(UInt8(ascii: "&"))
    }

    /// Keeps an item for the handler, or for the protocol if its name says so.
    @inline(__always)
    private mutating func add(_ entry: QueryItems.Entry, at offset: Int) throws(ActionURLError) {
        let isForHandler = !isProtocolName(storage.bytes.span.extracting(entry.name))
        if isForHandler { return entries.append(entry) }
        let item = protocolItem(named: storage.bytes.span.extracting(entry.name))
        guard let item else { return }
        guard protocolValues[item.rawValue] == nil else { throw ActionURLError(.repeatedItem(item.name), at: offset) }
        protocolValues[item.rawValue] = ByteRange(entry.value)
    }

    /// Decodes the items for the handler again, with `+` as a space, as HTML forms are written.
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

    /// Reads a part of the URL, up to a byte of one of the classes, and decodes it.
    @inline(__always)
    private mutating func readPart(
        _ scanner: inout URLScanner, until stops: ByteClass
    ) throws(ActionURLError) -> Part {
        let plain = scanner.readPlain(until: stops)
        return scanner.isAt(stops) ? Part(plain) : try readEncoded(&scanner, until: stops, plain)
    }

    /// Goes on with a part that does not stand for itself; its decoded form goes to the end of the storage.
    private mutating func readEncoded(
        _ scanner: inout URLScanner, until stops: ByteClass, _ plain: Range<Int>
    ) throws(ActionURLError) -> Part {
        let start = storage.count
        scanner.goBack(to: plain.lowerBound)
        guard storage.append(decodingFrom: &scanner, until: stops) else {
            scanner.goBack(to: plain.lowerBound)
            throw Self.fault(of: &scanner, until: stops)
        }
        return Part(received: plain.lowerBound..<scanner.position, decoded: start..<storage.count)
    }

    /// What is wrong with the part that comes next: a raw control character anywhere in it comes before a fault of its
    /// encoding.
    private static func fault(of scanner: inout URLScanner, until stops: ByteClass) -> ActionURLError {
        do throws(ActionURLError) {
            let range = try scanner.read(until: stops)
            let fault = percentDecodingFault(in: scanner.bytes.span.extracting(range))
            return ActionURLError(fault ?? .notUTF8, in: scanner.bytes, at: range)
        } catch {
            return error
        }
    }
}

/// A part of a URL: a segment, or the name or the value of an item.
private struct Part {
    /// The part as it was received.
    let received: Range<Int>
    /// The decoded form in the storage; the same place if nothing is encoded.
    let decoded: Range<Int>

    init(received: Range<Int>, decoded: Range<Int>) {
        self.received = received
        self.decoded = decoded
    }

    init(_ range: Range<Int>) {
        received = range
        decoded = range
    }
}

/// Whether a host is the one that the protocol reserves; it is compared without case.
private func isCallbackHost(_ bytes: UnsafeBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
    let name: StaticString = "x-callback-url"
    guard host.count == name.utf8CodeUnitCount else { return false }
    let host = bytes.span.extracting(host)
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

extension ActionURLError {
    /// Places a fault of decoding in the URL.
    init(_ fault: PercentDecodingFault, in input: UnsafeBufferPointer<UInt8>, at range: Range<Int>) {
        switch fault {
        case .nul: self.init(.nul, at: range.lowerBound)
        case .notUTF8: self.init(.notUTF8, at: range.lowerBound)
        case .badEscape:
            let offset = range.first { offset in
                input[offset] == UInt8(ascii: "%")
                    && !(offset + 2 < range.upperBound && hexadecimalValue(input[offset + 1]) != nil
                        && hexadecimalValue(input[offset + 2]) != nil)
            }
            self.init(.badEscape, at: offset ?? range.lowerBound)
        }
    }
}
