extension TextForms {
    /// Returns the number of bytes in a base64 or base64url text (RFC 4648 §4 and §5).
    ///
    /// Padding is optional, but must be complete if present. The two alphabets cannot be mixed, there is no white
    /// space, and the unused bits of the last digit are zero: so data has exactly one text in each alphabet, and a
    /// truncated text is usually detected.
    ///
    /// - Parameter text: The text.
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

    /// Decodes a base64 or base64url text, with the rules of ``dataCount(of:)``.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes, or `nil` if the text is neither base64 nor base64url.
    package static func data(in text: Span<UInt8>) -> [UInt8]? {
        guard let count = dataCount(of: text) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            var bits: UInt32 = 0
            var bitCount = 0
            for index in text.indices {
                guard let sextet = sextet(text[index]), written < count else { break }
                bits = bits << 6 | UInt32(sextet)
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                bytes[written] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                written += 1
            }
        }
    }

    /// Writes bytes as base64 with padding, or as base64url without (RFC 4648 §4 and §5).
    ///
    /// - Parameters:
    ///   - bytes: The bytes; may be empty.
    ///   - isURLSafe: Whether to use the base64url alphabet.
    /// - Returns: The text.
    package static func base64(_ bytes: Span<UInt8>, isURLSafe: Bool) -> String {
        let digitCount = (bytes.count * 8 + 5) / 6
        let paddedCount = isURLSafe ? digitCount : (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: paddedCount) { text in
            for index in 0..<digitCount {
                let bit = index * 6
                let next = bit / 8 + 1 < bytes.count ? bytes[bit / 8 + 1] : 0
                let pair = UInt16(bytes[bit / 8]) << 8 | UInt16(next)
                text[index] = digit(of: UInt8(truncatingIfNeeded: pair >> UInt16(10 - bit % 8)) & 63, isURLSafe)
            }
            for index in digitCount..<paddedCount { text[index] = UInt8(ascii: "=") }
            return paddedCount
        }
    }

    /// Returns the digit for six bits.
    private static func digit(of sextet: UInt8, _ isURLSafe: Bool) -> UInt8 {
        switch sextet {
        case 0..<26: sextet + UInt8(ascii: "A")
        case 26..<52: sextet - 26 + UInt8(ascii: "a")
        case 52..<62: sextet - 52 + UInt8(ascii: "0")
        case 62: isURLSafe ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: isURLSafe ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }

    /// Whether the unused bits of the last digit are zero.
    private static func hasZeroTail(_ text: Span<UInt8>, digits: Int) -> Bool {
        let last = sextet(text[digits - 1]) ?? 0
        switch digits % 4 {
        case 2: return last & 0b1111 == 0
        case 3: return last & 0b11 == 0
        default: return true
        }
    }

    /// Returns the six bits of a digit in either alphabet.
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
