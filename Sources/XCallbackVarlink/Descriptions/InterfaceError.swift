/// Why a text does not describe an interface.
package struct InterfaceError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// Something else stands where this should.
        case expected(String)
        /// A member or a field has the name of another one.
        case repeatedName(String)
        /// No type has this name.
        case unknownType(String)
        /// Types are nested too deep.
        case tooDeep(limit: Int)
        /// The text is too long.
        case tooLong(limit: Int)
    }

    /// What is wrong.
    package let reason: Reason
    /// The line, from 1.
    package let line: Int
    /// The character in its line, from 1.
    package let column: Int
}

extension InterfaceError: CustomStringConvertible {
    /// Where something is wrong, and what.
    package var description: String { "\(line):\(column): \(text)" }

    private var text: String {
        switch reason {
        case .expected(let what): "something else instead of \(what)"
        case .repeatedName(let name): "the name '\(name)' is there already"
        case .unknownType(let name): "the interface has no type '\(name)'"
        case .tooDeep(let limit): "more than \(limit) types within one another"
        case .tooLong(let limit): "the description has more than \(limit) characters"
        }
    }
}
