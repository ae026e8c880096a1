/// A name that nobody can guess: 128 random bits, written with 32 hexadecimal digits.
struct Token: Hashable {
    private static let digitCount = 32

    private let number: UInt128

    init(_ number: UInt128) {
        self.number = number
    }

    /// Reads a name as it is written.
    init?(_ text: Span<UInt8>) {
        guard text.count == Self.digitCount else { return nil }
        var number: UInt128 = 0
        for index in text.indices {
            guard let value = value(ofDigit: text[unchecked: index]) else { return nil }
            number = number << 4 | UInt128(value)
        }
        self.number = number
    }
}

extension Token: CustomStringConvertible {
    var description: String {
        String(unsafeUninitializedCapacity: Self.digitCount) { text in
            var rest = number
            for index in (0..<Self.digitCount).reversed() {
                text[index] = digit(UInt8(truncatingIfNeeded: rest & 0xF))
                rest >>= 4
            }
            return Self.digitCount
        }
    }
}

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// The value of a digit as it is written here, without capitals.
private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}
