import XCallbackBytes

/// A part of a URL: a segment, or the name or the value of an item.
struct URLPart {
    /// The part as received.
    let received: Range<Int>
    /// The decoded form; the same range if nothing is encoded.
    let decoded: Range<Int>
}

/// Reads a URL part by part, from left to right, and writes the decoded form of each encoded part after the URL.
///
/// It must not outlive the memory, whose bounds are not checked for each byte: this is the innermost loop of a request.
/// Every loop ends at a mark after the URL, which no part can contain.
struct URLReader {
    /// Returns the room needed after a URL: for the mark and for decoded parts, which are never longer than the URL.
    static func room(for count: Int) -> Int { count + 1 }

    /// A control character, so that every part ends there.
    private static let endMark = UInt8(ascii: "\n")

    /// The URL, the mark, and the decoded forms.
    let bytes: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes of the URL.
    let count: Int
    /// The number of bytes that were read.
    private(set) var position = 0
    /// The start of the next decoded form.
    private(set) var end: Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - bytes: The URL, followed by ``room(for:)`` bytes.
    ///   - count: The number of bytes of the URL.
    init(_ bytes: UnsafeMutableBufferPointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
        end = count + 1
        bytes[count] = Self.endMark
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == count }

    /// Skips a byte if it is next.
    mutating func skip(_ byte: UInt8) -> Bool {
        // Callers never pass the mark.
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips `//`, which precedes a host, if it is next.
    mutating func skipSlashes() -> Bool {
        guard bytes[position] == UInt8(ascii: "/"), bytes[position + 1] == UInt8(ascii: "/") else { return false }
        position += 2
        return true
    }

    /// Whether a decoded name is reserved for the protocol: it starts with `x-`, in any case.
    func isProtocolName(_ name: Range<Int>) -> Bool { XCallbackURL.isProtocolName(text(name).span) }

    /// Returns the protocol item with a decoded name; only lowercase names have an effect.
    func protocolItem(named name: Range<Int>) -> ActionURL.ProtocolItem? {
        let name = text(name).span
        if areEqual(name, "x-success") { return .success }
        if areEqual(name, "x-error") { return .error }
        if areEqual(name, "x-cancel") { return .cancel }
        if areEqual(name, "x-source") { return .source }
        return nil
    }

    /// The bytes of a part.
    private func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// Reads the scheme and its colon (RFC 3986, section 3.1).
    mutating func readScheme() throws(ActionURLError) -> Int {
        guard isSchemeByte(bytes[0], isFirst: true) else { throw ActionURLError(.missingScheme, at: 0) }
        let position = first(from: 1) { $0.isDisjoint(with: .inScheme) }
        guard bytes[position] == UInt8(ascii: ":") else { throw ActionURLError(.missingScheme, at: 0) }
        self.position = position + 1
        return position
    }

    /// Reads a part, up to a byte of one of the classes or to the end, and decodes it.
    mutating func readPart(until stops: ByteClass) throws(ActionURLError) -> URLPart {
        let start = position
        position = first(from: start) { !$0.isPlain(until: stops) }
        if ByteClass(bytes[position]).isDisjoint(with: stops), position < count {
            return try readEncoded(from: start, until: stops)
        }
        return URLPart(received: start..<position, decoded: start..<position)
    }

    /// Returns the position of the first byte that satisfies a condition; the mark must satisfy it.
    private func first(from start: Int, where holds: (ByteClass) -> Bool) -> Int {
        var position = start
        while !holds(ByteClass(bytes[position])) { position += 1 }
        return position
    }

    /// Reads the rest, validating only its characters.
    mutating func readFragment() throws(ActionURLError) {
        position = first(from: position) { $0 == .control }
        guard isAtEnd else { throw ActionURLError(.rawControl, at: position) }
    }

    /// Reads a part again from its start, and writes its decoded form.
    private mutating func readEncoded(from start: Int, until stops: ByteClass) throws(ActionURLError) -> URLPart {
        guard let ends = decode(from: start, until: stops) else { throw fault(from: start, until: stops) }
        defer { (position, end) = (ends.received, ends.decoded) }
        return URLPart(received: start..<ends.received, decoded: end..<ends.decoded)
    }

    /// Writes the decoded form of a part.
    ///
    /// - Returns: The ends of the part and of its decoded form; nil if the part cannot be decoded or contains a raw control
    ///   character.
    private func decode(from start: Int, until stops: ByteClass) -> (received: Int, decoded: Int)? {
        var (position, target) = (start, end)
        var isASCII = true
        while position < count {
            var byte = bytes[position]
            let byteClass = ByteClass(byte)
            if !byteClass.isDisjoint(with: stops) { break }
            if byteClass == .control { return nil }
            position += 1
            if byteClass == .percent {
                // The end mark is not a digit, so no byte after it is decoded.
                guard let escaped = escapedByte(bytes[position], bytes[position + 1]), escaped != 0 else { return nil }
                byte = escaped
                position += 2
            }
            if byte >= 0x80 { isASCII = false }
            bytes[target] = byte
            target += 1
        }
        return isASCII || isUTF8(text(end..<target).span) ? (position, target) : nil
    }

    /// Returns the fault of a part: a raw control character in it takes precedence over an encoding fault.
    private func fault(from start: Int, until stops: ByteClass) -> ActionURLError {
        var end = start
        while end < count, ByteClass(bytes[end]).isDisjoint(with: stops) {
            if ByteClass(bytes[end]) == .control { return ActionURLError(.rawControl, at: end) }
            end += 1
        }
        let part = UnsafeBufferPointer(bytes).span.extracting(start..<end)
        return ActionURLError(percentDecodingFault(in: part) ?? .notUTF8, in: part, at: start)
    }
}

extension ActionURLError {
    /// Creates an error with the position of a decoding fault.
    fileprivate init(_ fault: PercentDecodingFault, in part: Span<UInt8>, at start: Int) {
        switch fault {
        case .nul: self.init(.nul, at: start)
        case .notUTF8: self.init(.notUTF8, at: start)
        case .badEscape: self.init(.badEscape, at: start + (offsetOfBadEscape(in: part) ?? 0))
        }
    }
}

/// Returns the position of the first `%` that is not followed by two hexadecimal digits; nil if there is none.
func offsetOfBadEscape(in bytes: Span<UInt8>) -> Int? {
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "%") {
        guard offset + 2 < bytes.count, escapedByte(bytes[offset + 1], bytes[offset + 2]) != nil else { return offset }
    }
    return nil
}
