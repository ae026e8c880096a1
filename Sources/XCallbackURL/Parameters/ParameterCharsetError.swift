/// The reason why the written form of a character set is invalid.
package struct ParameterCharsetError: Error, Hashable, Sendable {
    /// The kinds of faults.
    package enum Reason: Hashable, Sendable {
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

    /// The written form.
    package let text: String
    /// The fault.
    package let reason: Reason

    /// Creates an error.
    package init(text: String, reason: Reason) {
        self.text = text
        self.reason = reason
    }
}

extension ParameterCharsetError: CustomStringConvertible {
    /// The fault and the correct form.
    package var description: String {
        switch reason {
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
