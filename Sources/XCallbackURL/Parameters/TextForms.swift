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
        switch text.count {
        case 1: text[0] == UInt8(ascii: "1") ? true : text[0] == UInt8(ascii: "0") ? false : nil
        case 2: areEqualIgnoringCase(text, "no") ? false : nil
        case 3: areEqualIgnoringCase(text, "yes") ? true : nil
        case 4: areEqualIgnoringCase(text, "true") ? true : nil
        case 5: areEqualIgnoringCase(text, "false") ? false : nil
        default: nil
        }
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
                guard isHexadecimal(text[index]) else { return false }
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

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        let lowered = byte | 0x20
        return digit(byte) != nil || lowered >= UInt8(ascii: "a") && lowered <= UInt8(ascii: "f")
    }
}

extension TextForms {
    /// Parses an integer: an optional `-`, then decimal digits, within the 64 bits of `Int64`.
    ///
    /// Leading zeros and `-0` are accepted; a `+` is not.
    ///
    /// - Parameter text: The text.
    /// - Returns: The value; `nil` if the text is not an integer or does not fit.
    package static func integer(in text: Span<UInt8>) -> Int64? {
        integer(in: text, as: Int64.self)
    }

    /// Parses an integer of any size: an optional `-`, then decimal digits.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - type: The type that the value must fit.
    /// - Returns: The value; `nil` if the text is not an integer or does not fit.
    @inlinable
    package static func integer<Number: FixedWidthInteger>(in text: Span<UInt8>, as type: Number.Type) -> Number? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard start < text.count else { return nil }
        var value: Number = 0
        for index in start..<text.count {
            guard let digit = digit(text[index]) else { return nil }
            let (product, isProductTooBig) = value.multipliedReportingOverflow(by: 10)
            // A negative number is accumulated downward, because its range is larger.
            let (next, isNextTooBig) =
                isNegative
                ? product.subtractingReportingOverflow(Number(digit)) : product.addingReportingOverflow(Number(digit))
            guard !isProductTooBig, !isNextTooBig else { return nil }
            value = next
        }
        return value
    }

    /// Whether a text has the format of a number: an integer, an optional fraction, and an optional exponent.
    ///
    /// There are digits on both sides of the point; hexadecimal numbers, infinities and `nan` are invalid. The value
    /// may exceed `Double`.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text has the format of a number.
    package static func isWrittenAsNumber(_ text: Span<UInt8>) -> Bool { magnitude(of: text) != nil }

    /// Whether a text is a number in the format of ``isWrittenAsNumber(_:)`` whose value is a finite `Double`, so not `1e400`.
    ///
    /// Allocates only for a value close to or over the limit of `Double`.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is a number.
    package static func isNumber(_ text: Span<UInt8>) -> Bool {
        guard let magnitude = magnitude(of: text) else { return false }
        return magnitude <= 308 || number(in: text) != nil
    }

    /// Parses a number, rounded to the nearest `Double`.
    ///
    /// - Parameter text: A text in the format of ``isNumber(_:)``.
    /// - Returns: The finite value; `nil` if the text is not a number or is too large.
    package static func number(in text: Span<UInt8>) -> Double? {
        guard magnitude(of: text) != nil else { return nil }
        let string = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let value = Double(string), value.isFinite else { return nil }
        return value
    }

    /// Returns the exponent of a power of ten above the absolute value of a number; `nil` if the text is not a number.
    private static func magnitude(of text: Span<UInt8>) -> Int? {
        let start = !text.isEmpty && text[0] == UInt8(ascii: "-") ? 1 : 0
        var end = endOfDigits(in: text, from: start)
        guard end > start else { return nil }
        let wholeDigits = end - start
        if end < text.count, text[end] == UInt8(ascii: ".") {
            let fraction = end + 1
            end = endOfDigits(in: text, from: fraction)
            guard end > fraction else { return nil }
        }
        if end == text.count { return wholeDigits }
        guard text[end] | 0x20 == UInt8(ascii: "e"), let exponent = exponent(in: text, from: end + 1) else {
            return nil
        }
        return wholeDigits + exponent
    }

    /// Parses the exponent in the rest of a text; values above a hundred thousand are capped.
    private static func exponent(in text: Span<UInt8>, from index: Int) -> Int? {
        var start = index
        var isNegative = false
        if start < text.count, text[start] == UInt8(ascii: "-") || text[start] == UInt8(ascii: "+") {
            isNegative = text[start] == UInt8(ascii: "-")
            start += 1
        }
        guard start < text.count else { return nil }
        var value = 0
        for index in start..<text.count {
            guard let digit = digit(text[index]) else { return nil }
            value = min(value * 10 + Int(digit), 100_000)
        }
        return isNegative ? -value : value
    }

    private static func endOfDigits(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, digit(text[index]) != nil { index += 1 }
        return index
    }
}

extension TextForms {
    /// Whether a text is an absolute URL: a scheme of RFC 3986, a colon, and at least one more character.
    ///
    /// The rest contains no blanks and no control characters, and its percent escapes are complete; non-ASCII text is
    /// accepted. Unknown schemes are accepted too.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is an absolute URL.
    package static func isURL(_ text: Span<UInt8>) -> Bool {
        guard let colon = endOfScheme(in: text), colon + 1 < text.count else { return false }
        var isASCII = true
        for index in colon + 1..<text.count {
            switch text[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, isHexadecimal(text[index + 1]), isHexadecimal(text[index + 2]) else {
                    return false
                }
            case 0x21...0x7E: break
            case 0x80...0xFF: isASCII = false
            default: return false
            }
        }
        return isASCII || hasOnlyPrintableScalars(text)
    }

    /// Whether a URL has a scheme, which is given in lower case; URLs may write it in any case.
    static func hasScheme(_ scheme: String, _ text: Span<UInt8>) -> Bool {
        let name = scheme.utf8.span
        guard text.count > name.count, text[name.count] == UInt8(ascii: ":") else { return false }
        return name.indices.allSatisfy { asciiLowercase(text[$0]) == name[$0] }
    }

    /// Returns the position of the colon after a scheme.
    private static func endOfScheme(in text: Span<UInt8>) -> Int? {
        let end = text.indices.first { !isSchemeByte(text[$0], isFirst: $0 == 0) }
        return end.flatMap { $0 > 0 && text[$0] == UInt8(ascii: ":") ? $0 : nil }
    }

    private static func hasOnlyPrintableScalars(_ text: Span<UInt8>) -> Bool {
        guard let scalars = try? UTF8Span(validating: text) else { return false }
        var iterator = scalars.makeUnicodeScalarIterator()
        while let scalar = iterator.next() {
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
            default: break
            }
        }
        return true
    }
}

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
