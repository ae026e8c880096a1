/// A part of a URL: a segment, or the name or the value of an item.
struct URLPart {
    /// The part as it was received.
    let received: Range<Int>
    /// The decoded form; the same place if nothing is encoded.
    let decoded: Range<Int>
}

/// Reads a URL from left to right, a part at a time, and writes the decoded form of each part that is encoded behind
/// the URL.
///
/// It must not outlive the memory, which is not checked against its bounds for each byte: this is the innermost loop of
/// a request. Every loop ends at a mark behind the URL, which no part can hold.
struct URLReader {
    /// Room that a URL needs behind it: for the mark and for what is decoded, which is never longer than the URL.
    static func room(for count: Int) -> Int { count + 1 }

    /// A control character, so that every part ends there.
    private static let endMark = UInt8(ascii: "\n")

    /// The URL, the mark, and the decoded forms.
    let bytes: UnsafeMutableBufferPointer<UInt8>
    /// How many bytes the URL has.
    let count: Int
    /// How much of the URL is read.
    private(set) var position = 0
    /// Where the next decoded form begins.
    private(set) var end: Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - bytes: The URL, with as much room behind it as ``room(for:)`` says.
    ///   - count: How many bytes the URL has.
    init(_ bytes: UnsafeMutableBufferPointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
        end = count + 1
        bytes[count] = Self.endMark
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == count }

    /// Steps over a byte if it is next.
    @inline(__always)
    mutating func skip(_ byte: UInt8) -> Bool {
        // No byte that is asked for is the mark.
        guard bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Steps over `//`, which a host follows, if it is next.
    @inline(__always)
    mutating func skipSlashes() -> Bool {
        guard bytes[position] == UInt8(ascii: "/"), bytes[position &+ 1] == UInt8(ascii: "/") else { return false }
        position &+= 2
        return true
    }

    /// Steps over `//x-callback-url` if nothing else is the host; the host is compared without case.
    @inline(__always)
    mutating func skipCallbackHost() -> Bool {
        guard position &+ 16 <= count else { return false }
        let text = UnsafeRawBufferPointer(UnsafeBufferPointer(bytes))
        // The bits that tell upper from lower case, in the places of letters.
        let start = text.loadUnaligned(fromByteOffset: position, as: UInt64.self) | Self.hostFold.0
        let rest = text.loadUnaligned(fromByteOffset: position &+ 8, as: UInt64.self) | Self.hostFold.1
        guard start == Self.hostText.0, rest == Self.hostText.1,
            !ByteClass(bytes[position &+ 16]).isDisjoint(with: [.slash, .question, .hash]) || position &+ 16 == count
        else { return false }
        position &+= 16
        return true
    }

    /// `//x-callback-url` as two numbers.
    private static var hostText: (UInt64, UInt64) {
        (UInt64(littleEndian: 0x6C6C_6163_2D78_2F2F), UInt64(littleEndian: 0x6C72_752D_6B63_6162))
    }
    private static var hostFold: (UInt64, UInt64) {
        (UInt64(littleEndian: 0x2020_2020_0020_0000), UInt64(littleEndian: 0x2020_2000_2020_2020))
    }

    /// Reads the scheme and its colon (RFC 3986, section 3.1).
    @inline(__always)
    mutating func readScheme() throws(ActionURLError) -> Int {
        var position = 0
        while isSchemeByte(bytes[position], isFirst: position == 0) { position &+= 1 }
        guard position > 0, bytes[position] == UInt8(ascii: ":") else { throw ActionURLError(.missingScheme, at: 0) }
        self.position = position &+ 1
        return position
    }

    /// Reads a part, up to a byte of one of the classes or to the end, and decodes it.
    @inline(__always)
    mutating func readPart(until stops: ByteClass) throws(ActionURLError) -> URLPart {
        let special = stops.union([.percent, .nonASCII, .control])
        let start = position
        var position = start
        while ByteClass(bytes[position]).isDisjoint(with: special) { position &+= 1 }
        self.position = position
        guard !ByteClass(bytes[position]).isDisjoint(with: stops) || position == count else {
            return try readEncoded(from: start, until: stops)
        }
        let range = Range(uncheckedBounds: (start, position))
        return URLPart(received: range, decoded: range)
    }

    /// Reads what is left, of which only the characters are checked.
    mutating func readFragment() throws(ActionURLError) {
        while ByteClass(bytes[position]) != .control { position &+= 1 }
        guard isAtEnd else { throw ActionURLError(.rawControl, at: position) }
    }

    /// Goes on with a part that does not stand for itself.
    private mutating func readEncoded(from start: Int, until stops: ByteClass) throws(ActionURLError) -> URLPart {
        let special = stops.union([.percent, .control])
        var position = position
        var end = copy(start..<position)
        var allBits: UInt8 = 0
        while true {
            var byte = bytes[position]
            let byteClass = ByteClass(byte)
            if byteClass.isDisjoint(with: special) {
                position &+= 1
            } else if byteClass == .percent {
                // The mark is no digit, so that nothing behind it is taken for one.
                guard let escaped = escapedByte(bytes[position &+ 1], bytes[position &+ 2]), escaped != 0 else {
                    throw fault(from: start, until: stops)
                }
                byte = escaped
                position &+= 3
            } else if byteClass != .control || position == count {
                break
            } else {
                throw fault(from: start, until: stops)
            }
            bytes[end] = byte
            allBits |= byte
            end &+= 1
        }
        let decoded = Range(uncheckedBounds: (self.end, end))
        guard allBits < 0x80 || isUTF8(bytes.span.extracting(decoded)) else { throw fault(from: start, until: stops) }
        self.position = position
        self.end = end
        return URLPart(received: Range(uncheckedBounds: (start, position)), decoded: decoded)
    }

    /// Copies bytes to the end; they stand for themselves.
    @inline(__always)
    private func copy(_ range: Range<Int>) -> Int {
        var end = end
        for index in range {
            bytes[end] = bytes[index]
            end &+= 1
        }
        return end
    }

    /// What is wrong with a part: a raw control character anywhere in it comes before a fault of its encoding.
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
    /// Places a fault of decoding a part of a URL.
    fileprivate init(_ fault: PercentDecodingFault, in part: Span<UInt8>, at start: Int) {
        switch fault {
        case .nul: self.init(.nul, at: start)
        case .notUTF8: self.init(.notUTF8, at: start)
        case .badEscape: self.init(.badEscape, at: start + (offsetOfBadEscape(in: part) ?? 0))
        }
    }
}

/// Where the first `%` stands that two hexadecimal digits do not follow, or nil.
func offsetOfBadEscape(in bytes: Span<UInt8>) -> Int? {
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "%") {
        guard offset + 2 < bytes.count, escapedByte(bytes[offset + 1], bytes[offset + 2]) != nil else { return offset }
    }
    return nil
}
