import CLinux
import XCallbackURL
import XCallbackWire

/// A name that cannot be guessed: 128 random bits, written as 32 hexadecimal digits.
struct Token: Hashable, CustomStringConvertible {
    private let number: UInt128

    /// Generates a name.
    init() {
        number = randomNumber()
    }

    /// Parses a name in lowercase hexadecimal.
    init?(_ text: Span<UInt8>) {
        let text = String(utf8: text)
        guard let number = UInt128(text, radix: 16) else { return nil }
        self.number = number
        if description != text { return nil }
    }

    var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// Generates random bits.
func randomNumber() -> UInt128 {
    var number: UInt128 = 0
    let isWhole = withUnsafeMutableBytes(of: &number) { xcb_random($0.baseAddress, $0.count) == $0.count }
    // A kernel can refuse the call to a process.
    return isWhole ? number : .random(in: 0 ... .max)
}
