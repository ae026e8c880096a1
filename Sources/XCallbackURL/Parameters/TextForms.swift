import XCallbackWire

/// The text formats of typed values: numbers, dates and data in parameters.
///
/// All functions take decoded text in UTF-8, examine it completely, and reject the empty text.
package enum TextForms {
    /// Parses `true`, `yes` or `1`, or `false`, `no` or `0`, in any case.
    ///
    /// - Parameter text: The text.
    /// - Returns: The value; `nil` for any other text.
    package static func boolean(in text: Span<UInt8>) -> Bool? {
        if areEqualIgnoringCase(text, "true") || areEqualIgnoringCase(text, "yes") || areEqual(text, "1") {
            return true
        }
        if areEqualIgnoringCase(text, "false") || areEqualIgnoringCase(text, "no") || areEqual(text, "0") {
            return false
        }
        return nil
    }

    /// Whether a text is a UUID of RFC 9562: 8-4-4-4-12 hexadecimal digits in any case, of any version.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is a UUID, without braces or `urn:uuid:`.
    package static func isUUID(_ text: Span<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for index in text.indices {
            switch index {
            case 8, 13, 18, 23:
                guard text[index] == UInt8(ascii: "-") else { return false }
            default:
                guard hexadecimalValue(text[index]) != nil else { return false }
            }
        }
        return true
    }

    /// Returns the number of Unicode scalars in a text.
    ///
    /// - Parameter text: Valid UTF-8.
    /// - Returns: The number of bytes that start a scalar. Linear.
    package static func scalarCount(of text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices where text[index] & 0b1100_0000 != 0b1000_0000 { count += 1 }
        return count
    }

    /// Returns the value of a decimal digit.
    @inlinable
    package static func digit(_ byte: UInt8) -> UInt8? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : nil
    }

    /// Parses an integer: an optional `-`, then decimal digits.
    ///
    /// Leading zeros and `-0` are accepted; a `+` is not.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - type: The type that the value must fit.
    /// - Returns: The value; `nil` if the text is not an integer or does not fit.
    package static func integer<Number: FixedWidthInteger>(
        in text: Span<UInt8>, as type: Number.Type = Int64.self
    ) -> Number? {
        text.isEmpty || text[0] == UInt8(ascii: "+") ? nil : Number(String(utf8: text))
    }

    /// Whether a text has the format of a number: an integer, an optional fraction, and an optional exponent.
    ///
    /// That is a number of JSON, also with leading zeros. The value may exceed `Double`.
    package static func isWrittenAsNumber(_ text: Span<UInt8>) -> Bool {
        var start = !text.isEmpty && text[0] == UInt8(ascii: "-") ? 1 : 0
        while start + 1 < text.count, text[start] == UInt8(ascii: "0"), isDigit(text[start + 1]) { start += 1 }
        guard start < text.count, isDigit(text[start]) else { return false }
        return lengthOfNumber(in: text, from: start) == text.count - start
    }

    /// Parses a number, rounded to the nearest `Double`.
    ///
    /// - Parameter text: A text in the format of ``isWrittenAsNumber(_:)``.
    /// - Returns: The finite value; `nil` if the text is not a number or is too large, like `1e400`.
    package static func number(in text: Span<UInt8>) -> Double? {
        guard isWrittenAsNumber(text), let value = Double(String(utf8: text)), value.isFinite else { return nil }
        return value
    }

    /// Whether a text is an absolute URL: a scheme of RFC 3986, a colon, and at least one more character.
    ///
    /// The rest contains no blanks and no control characters, and its percent escapes are complete; non-ASCII text is
    /// accepted. Unknown schemes are accepted too.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is an absolute URL.
    package static func isURL(_ text: Span<UInt8>) -> Bool {
        guard let colon = endOfScheme(in: text), colon + 1 < text.count, !hasRawControl(text) else { return false }
        return offsetOfBadEscape(in: text) == nil && hasOnlyPrintableScalars(text)
    }

    /// Whether a URL has a scheme, which is given in lower case; URLs may write it in any case.
    static func hasScheme(_ scheme: String, _ text: Span<UInt8>) -> Bool {
        guard let colon = endOfScheme(in: text) else { return false }
        return areEqualIgnoringCase(text.extracting(0..<colon), scheme.utf8.span)
    }

    private static func hasOnlyPrintableScalars(_ text: Span<UInt8>) -> Bool {
        guard let scalars = try? UTF8Span(validating: text) else { return false }
        var iterator = scalars.makeUnicodeScalarIterator()
        while let scalar = iterator.next() {
            if scalar.isASCII { continue }
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
            default: break
            }
        }
        return true
    }

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
