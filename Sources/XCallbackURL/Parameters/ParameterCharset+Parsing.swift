extension ParameterCharset {
    /// A character of the written form, after its escape is removed.
    private struct Token {
        let scalar: Unicode.Scalar
        /// Whether it marks a range: a hyphen that was not escaped.
        let isHyphen: Bool
    }

    /// Returns the ranges in a written form, in order; a single character is a range of one.
    package static func ranges(in text: String) throws(ParameterCharsetError) -> [ClosedRange<Unicode.Scalar>] {
        let tokens = try tokens(in: text)
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var index = 0
        while index < tokens.count {
            let first = tokens[index]
            if first.isHyphen, index != 0, index != tokens.count - 1 {
                throw ParameterCharsetError(text: text, reason: .ambiguousHyphen)
            }
            guard index + 2 < tokens.count, tokens[index + 1].isHyphen else {
                ranges.append(first.scalar...first.scalar)
                index += 1
                continue
            }
            let last = tokens[index + 2]
            guard first.scalar <= last.scalar else {
                throw ParameterCharsetError(text: text, reason: .reversedRange(first.scalar, last.scalar))
            }
            ranges.append(first.scalar...last.scalar)
            index += 3
        }
        return ranges
    }

    private static func tokens(in text: String) throws(ParameterCharsetError) -> [Token] {
        var tokens: [Token] = []
        var previous: Unicode.Scalar?
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "\\" {
                guard let escaped = scalars.next() else {
                    throw ParameterCharsetError(text: text, reason: .unfinishedEscape)
                }
                guard !escaped.properties.isAlphabetic, escaped.properties.numericType == nil else {
                    throw ParameterCharsetError(text: text, reason: .unknownEscape(escaped))
                }
                tokens.append(Token(scalar: escaped, isHyphen: false))
                previous = nil
                continue
            }
            if scalar == "^", tokens.isEmpty { throw ParameterCharsetError(text: text, reason: .negation) }
            if previous == "[", scalar == ":" || scalar == "." || scalar == "=" {
                throw ParameterCharsetError(text: text, reason: .characterClass)
            }
            tokens.append(Token(scalar: scalar, isHyphen: scalar == "-"))
            previous = scalar
        }
        if tokens.isEmpty { throw ParameterCharsetError(text: text, reason: .empty) }
        return tokens
    }
}
