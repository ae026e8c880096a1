import XCallbackBytes
import XCallbackURL

/// A name that nobody can guess: 128 random bits, written with 32 hexadecimal digits.
struct Token: Hashable {
    private static let digitCount = 32

    private let high: UInt64
    private let low: UInt64

    init(_ number: UInt128) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number)
    }

    /// Makes a name that tells a place in a table by its last 32 bits; the others are still too many to be guessed.
    init(_ number: UInt128, slot: UInt32) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number) & ~0xFFFF_FFFF | UInt64(slot)
    }

    /// Reads a name as it is written.
    init?(_ text: Span<UInt8>) {
        guard text.count == Self.digitCount, let high = number(in: text.extracting(0..<16)),
            let low = number(in: text.extracting(16..<32))
        else { return nil }
        self.high = high
        self.low = low
    }

    /// The place in a table that it tells, if it is the name of something there.
    var slot: UInt32 { UInt32(truncatingIfNeeded: low) }

    /// The digits, in ASCII.
    var digits: InlineArray<32, UInt8> {
        InlineArray { index in
            let half = index < 16 ? high : low
            return digit(UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 0xF)
        }
    }
}

extension Token: CustomStringConvertible {
    var description: String {
        let digits = digits
        return String(utf8: digits.span)
    }
}

/// What 16 digits stand for, as they are written here, without capitals.
private func number(in text: Span<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for index in text.indices {
        guard let value = value(ofDigit: text[unchecked: index]) else { return nil }
        number = number << 4 | UInt64(value)
    }
    return number
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
