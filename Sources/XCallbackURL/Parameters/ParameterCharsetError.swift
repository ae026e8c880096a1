/// The reason why the written form of a set of characters is not valid.
package struct ParameterCharsetError: Error, Hashable, Sendable {
    /// The kinds of faults.
    package enum Reason: Hashable, Sendable {
        /// There is no character, so no text but the empty one could be right.
        case empty
        /// The first character is `^`, which means the opposite set elsewhere.
        case negation
        /// There is `[:`, `[.` or `[=`, which begins a class of characters elsewhere.
        case characterClass
        /// A `-` stands neither at an end nor between two characters.
        case ambiguousHyphen
        /// A range ends before it begins.
        case reversedRange(Unicode.Scalar, Unicode.Scalar)
        /// A letter or digit follows a `\`.
        case unknownEscape(Unicode.Scalar)
        /// The last character is a `\`.
        case unfinishedEscape
    }

    /// The written form.
    package let text: String
    /// What is wrong with it.
    package let reason: Reason

    /// Creates an error.
    package init(text: String, reason: Reason) {
        self.text = text
        self.reason = reason
    }
}

extension ParameterCharsetError: CustomStringConvertible {
    /// What is wrong and what to write instead.
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
