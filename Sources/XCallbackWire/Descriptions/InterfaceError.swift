/// The reason why a text is not a valid interface description.
package struct InterfaceError: Error, Hashable, Sendable {
    /// The kind of fault.
    package enum Reason: Hashable, Sendable {
        /// The expected element is missing.
        case expected(String)
        /// A member or a field has the same name as another one.
        case repeatedName(String)
        /// There is no type with the name.
        case unknownType(String)
        /// Types are nested too deeply.
        case tooDeep(limit: Int)
        /// The text is too long.
        case tooLong(limit: Int)
    }

    /// The fault.
    package let reason: Reason
    /// The line, starting at 1.
    package let line: Int
    /// The character in the line, starting at 1.
    package let column: Int
}

extension InterfaceError: CustomStringConvertible {
    /// The position and the fault.
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
