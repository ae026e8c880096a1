import CLinux
import XCallbackBytes
import XCallbackURL

/// A name that cannot be guessed: 128 random bits, written as 32 hexadecimal digits.
struct Token: Hashable {
    private let number: UInt128

    init(_ number: UInt128) {
        self.number = number
    }

    /// Creates a name from 64 random bits, a check of the other bits, and the slot in a table.
    init(_ random: UInt64, check: UInt32, slot: UInt32) {
        number = UInt128(random) << 64 | UInt128(check) << 32 | UInt128(slot)
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

    /// The slot in a table, if the name refers to an entry there.
    var slot: UInt32 { UInt32(truncatingIfNeeded: number) }

    /// The check in the name of a table entry.
    var check: UInt32 { UInt32(truncatingIfNeeded: number >> 32) }

    /// The random bits in the name of a table entry.
    var random: UInt64 { UInt64(truncatingIfNeeded: number >> 64) }

    /// The digits, in ASCII.
    var digits: InlineArray<32, UInt8> {
        InlineArray { index in digit(UInt8(truncatingIfNeeded: number >> UInt128(124 - 4 * index)) & 0xF) }
    }
}

extension Token {
    /// Generates a name that cannot be guessed.
    static func random() -> Token { Token(randomNumber()) }
}

/// Generates random bits.
func randomNumber() -> UInt128 {
    var number: UInt128 = 0
    let isWhole = withUnsafeMutableBytes(of: &number) { xcb_random($0.baseAddress, $0.count) == $0.count }
    // A kernel can refuse the call to a process.
    return isWhole ? number : .random(in: 0 ... .max)
}

extension Token: CustomStringConvertible {
    var description: String {
        let digits = digits
        return String(utf8: digits.span)
    }
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
