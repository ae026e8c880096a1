/// The meaning of a byte for the URL parser.
package struct ByteClass: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    static let slash = Self(rawValue: 1 << 0)
    static let question = Self(rawValue: 1 << 1)
    static let hash = Self(rawValue: 1 << 2)
    static let ampersand = Self(rawValue: 1 << 3)
    static let equals = Self(rawValue: 1 << 4)
    static let percent = Self(rawValue: 1 << 5)
    static let nonASCII = Self(rawValue: 1 << 6)
    /// A blank or a control character, which must be percent-encoded in a URL.
    static let control = Self(rawValue: 1 << 7)
    /// An ASCII letter: the start of a scheme (RFC 3986, section 3.1).
    static let letter = Self(rawValue: 1 << 8)
    /// The following bytes of a scheme: letters, digits, `+`, `-` and `.`.
    static let inScheme = Self(rawValue: 1 << 9)
    /// A byte that represents itself in every part of a URL (RFC 3986, section 2.3).
    static let unreserved = Self(rawValue: 1 << 10)

    /// The end of an item's value.
    static var value: Self { [.ampersand, .hash] }

    /// The class of each byte, sixteen per row; a constant table, because every byte is looked up.
    private static let table: InlineArray<256, UInt16> = [
        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 0, 0, 4, 0, 32, 8, 0, 0, 0, 0, 512, 0, 1536, 1536, 1,
        1536, 1536, 1536, 1536, 1536, 1536, 1536, 1536, 1536, 1536, 0, 0, 0, 16, 0, 2,
        0, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792,
        1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 0, 0, 0, 0, 1024,
        0, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792,
        1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 1792, 0, 0, 0, 1024, 128,
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

    /// Whether a byte represents itself in a part of a URL that ends at bytes of some classes.
    @inline(__always)
    func isPlain(until stops: ByteClass) -> Bool {
        isDisjoint(with: stops.union([.percent, .nonASCII, .control]))
    }
}

/// Whether a byte is allowed in a scheme: a letter first, then letters, digits, `+`, `-` and `.`.
@inline(__always)
package func isSchemeByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    !ByteClass(byte).isDisjoint(with: isFirst ? .letter : .inScheme)
}

/// Whether a text is a scheme.
package func isScheme(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.enumerated().allSatisfy { isSchemeByte($0.element, isFirst: $0.offset == 0) }
}

/// Returns the position of the colon after a scheme; nil without a valid scheme.
func endOfScheme(in text: Span<UInt8>) -> Int? {
    let end = text.indices.first { !isSchemeByte(text[$0], isFirst: $0 == 0) }
    return end.flatMap { $0 > 0 && text[$0] == UInt8(ascii: ":") ? $0 : nil }
}

/// Whether bytes contain a blank or a control character, which must be percent-encoded in a URL.
package func hasRawControl(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where ByteClass(bytes[index]) == .control { return true }
    return false
}
