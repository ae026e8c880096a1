/// What a byte means to the parser of a URL.
package struct ByteClass: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    static let slash = Self(rawValue: 1 << 0)
    static let question = Self(rawValue: 1 << 1)
    static let hash = Self(rawValue: 1 << 2)
    static let ampersand = Self(rawValue: 1 << 3)
    static let equals = Self(rawValue: 1 << 4)
    static let percent = Self(rawValue: 1 << 5)
    static let nonASCII = Self(rawValue: 1 << 6)
    /// A blank or a control character, which must not stand in a URL as it is.
    static let control = Self(rawValue: 1 << 7)

    /// What makes the decoded form of a text differ from the received one, or need a check.
    static let encoded: Self = [.percent, .nonASCII]

    /// The class of each byte, sixteen to a row; a table that the compiler lays out, as each byte is looked up.
    private static let table: InlineArray<256, UInt8> = [
        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 0, 0, 4, 0, 32, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 2,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    ]

    @inline(__always)
    init(_ byte: UInt8) {
        rawValue = Self.table[Int(byte)]
    }
}

/// Reads a URL from left to right, a part at a time.
///
/// It must not outlive the bytes, which are not checked against their bounds for each one: this is the innermost loop
/// of a request, and every read stands behind a comparison of the position with the count.
struct URLScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0
    /// The classes of all bytes of the part that was read last.
    private(set) var seen: ByteClass = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == bytes.count }

    /// Reads up to a byte of one of the classes, or to the end.
    ///
    /// - Throws: ``ActionURLError/Reason/rawControl``.
    @inline(__always)
    mutating func read(until stops: ByteClass) throws(ActionURLError) -> Range<Int> {
        let start = position
        var position = start
        var seen: ByteClass = []
        while position < bytes.count {
            let byteClass = ByteClass(bytes[position])
            guard byteClass.isDisjoint(with: stops) else { break }
            seen.formUnion(byteClass)
            position += 1
        }
        self.position = position
        self.seen = seen
        if seen.contains(.control) { throw firstControl(from: start) }
        return start..<position
    }

    /// Reads up to a byte of one of the classes, to one that does not stand for itself, or to the end.
    @inline(__always)
    mutating func readPlain(until stops: ByteClass) -> Range<Int> {
        let start = position
        let stops = stops.union([.percent, .nonASCII, .control])
        var position = start
        while position < bytes.count, ByteClass(bytes[position]).isDisjoint(with: stops) { position &+= 1 }
        self.position = position
        return start..<position
    }

    /// Whether the end comes next, or a byte of one of the classes.
    @inline(__always)
    func isAt(_ stops: ByteClass) -> Bool {
        position == bytes.count || !ByteClass(bytes[position]).isDisjoint(with: stops)
    }

    /// Reads up to a byte of one of the classes, or to the end, and writes what the escapes stand for.
    ///
    /// - Parameters:
    ///   - stops: The classes.
    ///   - target: Memory with room for all that is left to read.
    ///   - start: Where to write.
    /// - Returns: The position after what was written, and all written bytes joined by OR; nil at a byte that nothing
    ///   can be written for.
    @inline(__always)
    mutating func decode(
        until stops: ByteClass, into target: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> (end: Int, allBits: UInt8)? {
        let special = stops.union([.percent, .control])
        var position = position
        var end = start
        var allBits: UInt8 = 0
        while position < bytes.count {
            var byte = bytes[position]
            let byteClass = ByteClass(byte)
            position &+= 1
            if !byteClass.isDisjoint(with: special) {
                if !byteClass.isDisjoint(with: stops) {
                    position &-= 1
                    break
                }
                guard byteClass == .percent, position &+ 1 < bytes.count,
                    let escaped = escapedByte(bytes[position], bytes[position &+ 1]), escaped != 0
                else { return nil }
                byte = escaped
                position &+= 2
            }
            target[end] = byte
            allBits |= byte
            end &+= 1
        }
        self.position = position
        return (end, allBits)
    }

    /// Goes back to where a part begins.
    mutating func goBack(to position: Int) {
        self.position = position
    }

    /// Steps over a byte if it is next.
    @inline(__always)
    mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads the scheme and its colon (RFC 3986, section 3.1).
    @inline(__always)
    mutating func readScheme() throws(ActionURLError) -> Range<Int> {
        while position < bytes.count, isSchemeByte(bytes[position], isFirst: position == 0) { position += 1 }
        let scheme = 0..<position
        guard !scheme.isEmpty, skip(UInt8(ascii: ":")) else { throw ActionURLError(.missingScheme, at: 0) }
        return scheme
    }

    /// Steps over `//`, which a host follows, if it is next.
    mutating func skipSlashes() -> Bool {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "/"),
            bytes[position + 1] == UInt8(ascii: "/")
        else { return false }
        position += 2
        return true
    }

    private func firstControl(from start: Int) -> ActionURLError {
        var offset = start
        while offset < position, ByteClass(bytes[offset]) != .control { offset += 1 }
        return ActionURLError(.rawControl, at: offset)
    }
}

/// Whether a byte may stand in a scheme: a letter first, then letters, digits, `+`, `-` and `.`.
@inline(__always)
package func isSchemeByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
    default: false
    }
}

/// Whether bytes hold a blank or a control character, which must not stand in a URL as it is.
package func hasRawControl(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where ByteClass(bytes[index]) == .control { return true }
    return false
}
