import CLinux
import XCallbackURL
import XCallbackWire

/// A name that cannot be guessed: 128 random bits, written as 32 hexadecimal digits.
struct Token: Hashable {
    private let number: UInt128

    /// Generates a name.
    init() {
        number = randomNumber()
    }

    /// Parses a name in lowercase hexadecimal.
    init?(_ text: Span<UInt8>) {
        guard text.count == 32 else { return nil }
        var number: UInt128 = 0
        for index in text.indices {
            guard let value = value(ofDigit: text[index]) else { return nil }
            number = number << 4 | UInt128(value)
        }
        self.number = number
    }

    /// The digits, in ASCII.
    var digits: InlineArray<32, UInt8> {
        InlineArray { index in digit(UInt8(truncatingIfNeeded: number >> UInt128(124 - 4 * index)) & 0xF) }
    }
}

extension Token: CustomStringConvertible {
    var description: String {
        let digits = digits
        return String(utf8: digits.span)
    }
}

/// Generates random bits.
func randomNumber() -> UInt128 {
    var number: UInt128 = 0
    let isWhole = withUnsafeMutableBytes(of: &number) { xcb_random($0.baseAddress, $0.count) == $0.count }
    // A kernel can refuse the call to a process.
    return isWhole ? number : .random(in: 0 ... .max)
}

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}
