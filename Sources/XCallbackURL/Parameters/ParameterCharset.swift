/// A set of characters that a text may contain.
///
/// The written form resembles the inside of a bracket expression: `a-zA-Z0-9_-`. Characters are Unicode scalars,
/// compared without normalization. A `-` at the start or end is literal, and so is any character after `\` except a
/// letter or digit. Forms with a special meaning in real bracket expressions, a leading `^` and classes such as
/// `[:alpha:]`, are rejected.
package struct ParameterCharset: Hashable, Sendable {
    /// The written form.
    package let text: String
    private let ranges: [ClosedRange<Unicode.Scalar>]

    /// Creates a set from its written form.
    ///
    /// - Parameter text: Characters and ranges such as `a-z`.
    /// - Throws: ``ParameterCharsetError`` for the first fault.
    package init(_ text: String) throws(ParameterCharsetError) {
        self.text = text
        ranges = try Self.ranges(in: text)
    }

    /// Whether all characters of a text are in the set; true for the empty text.
    ///
    /// - Parameter text: Text in UTF-8.
    /// - Returns: Whether the text is valid and contains only characters of the set.
    package func contains(allOf text: Span<UInt8>) -> Bool {
        guard let scalars = try? UTF8Span(validating: text) else { return false }
        var iterator = scalars.makeUnicodeScalarIterator()
        while let scalar = iterator.next() {
            guard ranges.contains(where: { $0.contains(scalar) }) else { return false }
        }
        return true
    }

    /// The set for people: `a-z, A-Z, spaces and '-'`.
    package var phrase: String {
        let parts = ranges.map { range in
            let (first, last) = (range.lowerBound, range.upperBound)
            if first == last { return first == " " ? "spaces" : Self.name(of: first) }
            let isPlain = Self.isAlphanumeric(first) && Self.isAlphanumeric(last)
            return isPlain ? "\(first)-\(last)" : "\(Self.name(of: first)) to \(Self.name(of: last))"
        }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        if isAlphanumeric(scalar) { return String(scalar) }
        if scalar != " ", (0x20...0x7E).contains(scalar.value) { return "'\(scalar)'" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

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
                throw .ambiguousHyphen
            }
            guard index + 2 < tokens.count, tokens[index + 1].isHyphen else {
                ranges.append(first.scalar...first.scalar)
                index += 1
                continue
            }
            let last = tokens[index + 2]
            guard first.scalar <= last.scalar else {
                throw .reversedRange(first.scalar, last.scalar)
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
                    throw .unfinishedEscape
                }
                guard !escaped.properties.isAlphabetic, escaped.properties.numericType == nil else {
                    throw .unknownEscape(escaped)
                }
                tokens.append(Token(scalar: escaped, isHyphen: false))
                previous = nil
                continue
            }
            if scalar == "^", tokens.isEmpty { throw .negation }
            if previous == "[", scalar == ":" || scalar == "." || scalar == "=" {
                throw .characterClass
            }
            tokens.append(Token(scalar: scalar, isHyphen: scalar == "-"))
            previous = scalar
        }
        if tokens.isEmpty { throw .empty }
        return tokens
    }
}

/// The reason why the written form of a character set is invalid.
package enum ParameterCharsetError: Error, Hashable, Sendable {
    /// There is no character, so only the empty text could match.
    case empty
    /// The first character is `^`, which negates a set elsewhere.
    case negation
    /// There is `[:`, `[.` or `[=`, which starts a character class elsewhere.
    case characterClass
    /// A `-` is neither at an end nor between two characters.
    case ambiguousHyphen
    /// The end of a range is before its start.
    case reversedRange(Unicode.Scalar, Unicode.Scalar)
    /// A letter or digit follows a `\`.
    case unknownEscape(Unicode.Scalar)
    /// The last character is a `\`.
    case unfinishedEscape
}

extension ParameterCharsetError: CustomStringConvertible {
    /// The fault and the correct form.
    package var description: String {
        switch self {
        case .empty: "the set of characters is empty"
        case .negation: "a set cannot be negated; write '\\^' for the character"
        case .characterClass: "classes such as [:alpha:] are not known; write '\\[' for the character"
        case .ambiguousHyphen: "a '-' is neither first nor last nor between two characters; write '\\-'"
        case .reversedRange(let first, let last): "the range '\(first)-\(last)' is reversed"
        case .unknownEscape(let scalar): "'\\\(scalar)' is not known; only marks are escaped"
        case .unfinishedEscape: "nothing follows the last '\\'"
        }
    }
}
