/// The reason why a text is not JSON, or exceeds a limit.
package struct JSONError: Error, Hashable, Sendable {
    /// The kind of fault.
    package enum Reason: Hashable, Sendable {
        /// The text ends within a value.
        case unexpectedEnd
        /// A value was expected.
        case notAValue
        /// One of the named elements was expected.
        case expected(String)
        /// There is text after the value.
        case trailingText
        /// A number such as `1.` or `-`.
        case badNumber
        /// A string contains a raw control character.
        case controlCharacter
        /// A `\` is not followed by a valid escape.
        case badEscape
        /// A UTF-16 surrogate has no partner.
        case loneSurrogate
        /// A string is not UTF-8.
        case notUTF8
        /// Two members of an object have the same name.
        case repeatedName
        /// Lists and objects are nested too deeply.
        case tooDeep(limit: Int)
        /// There are too many values.
        case tooMany(limit: Int)
        /// The text is too long.
        case tooLong(limit: Int)
    }

    /// The fault.
    package let reason: Reason
    /// The byte offset of the fault, starting at 0.
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// The fault and its position.
    package var description: String { "\(text) at byte \(offset)" }

    private var text: String {
        switch reason {
        case .unexpectedEnd: "the end within a value"
        case .notAValue: "something that is not a value"
        case .expected(let what): "something else instead of \(what)"
        case .trailingText: "something after the value"
        case .badNumber: "a number that is not whole"
        case .controlCharacter: "a control character that is not escaped"
        case .badEscape: "an escape that is unknown"
        case .loneSurrogate: "half of a surrogate pair"
        case .notUTF8: "text that is not UTF-8"
        case .repeatedName: "a name that is there already"
        case .tooDeep(let limit): "more than \(limit) lists and objects within one another"
        case .tooMany(let limit): "more than \(limit) names and values"
        case .tooLong(let limit): "more than \(limit) bytes"
        }
    }
}
