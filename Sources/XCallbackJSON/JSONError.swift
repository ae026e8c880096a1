/// Why a text is not JSON, or not JSON of the size that is wanted.
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// The text ends within a value.
        case unexpectedEnd
        /// Something else stands where a value should.
        case notAValue
        /// Something else stands where one of these should.
        case expected(String)
        /// Something follows the value.
        case trailingText
        /// A number such as `1.` or `-`.
        case badNumber
        /// A control character stands in a string without an escape.
        case controlCharacter
        /// A `\` without an escape that JSON knows.
        case badEscape
        /// Half of a pair of UTF-16 stands alone.
        case loneSurrogate
        /// A string is not UTF-8.
        case notUTF8
        /// Two members of an object have the same name.
        case repeatedName
        /// Lists and objects are nested too deep.
        case tooDeep(limit: Int)
        /// There are too many values.
        case tooMany(limit: Int)
        /// The text is too long.
        case tooLong(limit: Int)
    }

    /// What is wrong.
    package let reason: Reason
    /// The byte at which it is wrong, from 0.
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, and where.
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
