extension TextForms {
    /// Counts the bytes that a base64 or base64url text stands for (RFC 4648 §4 and §5).
    ///
    /// Padding may be left out, but is complete where there is any. The two alphabets do not mix, there is no white
    /// space, and the unused bits of the last digit are zero: so a piece of data has one text in each alphabet, and
    /// a text that was cut is seldom taken for whole.
    ///
    /// - Parameter text: The text to look at.
    /// - Returns: The number of bytes, at least 1, or `nil` if the text is neither base64 nor base64url.
    package static func dataCount(of text: Span<UInt8>) -> Int? {
        var digits = text.count
        while digits > 0, text.count - digits < 2, text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
        guard digits > 0, digits % 4 != 1, digits == text.count || text.count % 4 == 0 else { return nil }

        var isStandard = false
        var isURLSafe = false
        for index in 0..<digits {
            guard sextet(text[index]) != nil else { return nil }
            switch text[index] {
            case UInt8(ascii: "+"), UInt8(ascii: "/"): isStandard = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): isURLSafe = true
            default: break
            }
        }
        guard !(isStandard && isURLSafe), hasZeroTail(text, digits: digits) else { return nil }
        return digits * 6 / 8
    }

    /// Whether the bits of the last digit that belong to no byte are zero.
    private static func hasZeroTail(_ text: Span<UInt8>, digits: Int) -> Bool {
        let last = sextet(text[digits - 1]) ?? 0
        switch digits % 4 {
        case 2: return last & 0b1111 == 0
        case 3: return last & 0b11 == 0
        default: return true
        }
    }

    /// The six bits that a digit of either alphabet stands for.
    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
