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
