/// The reason and the position of a fault in a route pattern.
package struct RoutePatternError: Error, Hashable, Sendable {
    /// The kind of fault.
    package enum Reason: Hashable, Sendable {
        /// The first character outside a group brace is not a slash.
        case missingSlash
        /// No name follows `:` or `*`.
        case missingName
        /// A quoted name has no closing quote.
        case unterminatedQuote
        /// A `\` ends the pattern.
        case missingEscapedCharacter
        /// One of `( ) [ ] + ? !` without a preceding `\`.
        case reservedCharacter(Unicode.Scalar)
        /// Text is percent-encoded, as in URLs.
        case percentEscape(String)
        /// A `}` closes no group.
        case unexpectedBrace
        /// A `{` is never closed.
        case unterminatedGroup
        /// A capture follows another one directly.
        case missingText(before: String)
        /// Two captures have the same name.
        case repeatedName(String)
        /// Two slashes stand together, with or without an optional group.
        case emptySegment
        /// A segment is `.` or `..`, which no action contains.
        case dotSegment
        /// The pattern has more than ``RoutePattern/alternativeLimit`` ways to include its groups.
        case tooManyAlternatives
        /// The pattern has more than ``RoutePattern/segmentLimit`` segments.
        case tooManySegments
        /// A host has a user or a port, which take no part in matching.
        case userOrPort
        /// In syntax `text`, something follows a capture.
        case textAfterCapture
    }

    /// The kind of fault.
    package let reason: Reason
    /// The position of the fault: the number of preceding Unicode scalars of the pattern.
    ///
    /// An unclosed group or quote is reported at its start.
    package let position: Int
    /// The whole invalid text.
    package let pattern: String
}

extension RoutePatternError: CustomStringConvertible {
    /// The end of each message about the syntax of another router or template language.
    package static let syntaxHint = """
        here a capture is ':id', a wildcard '*path', a placeholder '{id}'; regular expressions are not supported \
        (Docs/Reference/URLs.md)
        """

    /// One line for the author of the pattern.
    package var description: String {
        let hint = reason.isForeign ? "; \(Self.syntaxHint)" : ""
        return "\(reason.description), at position \(position) of \(pattern)\(hint)"
    }
}

extension RoutePatternError.Reason: CustomStringConvertible {
    /// The fault and the remedy, without the position.
    package var description: String {
        switch self {
        case .missingSlash: "a pattern must start with '/'"
        case .missingName: "a name must follow ':' or '*'; put '\\' before a character that is meant as text"
        case .unterminatedQuote: "the quoted name has no closing '\"'"
        case .missingEscapedCharacter: "a character must follow '\\'"
        case .reservedCharacter("+"): "'+' is reserved; put '\\' before it, or write ' ' if you mean a space"
        case .reservedCharacter("?"): "'?' is reserved; put '\\' before it, and leave out a query"
        case .reservedCharacter(let character): "'\(character)' is reserved; put '\\' before it"
        case .percentEscape(let escape):
            "a pattern is not percent-encoded; write the character itself instead of '\(escape)', or '\\%' for a '%'"
        case .unexpectedBrace: "'}' closes no group; put '\\' before it if it is meant as text"
        case .unterminatedGroup: "the group has no closing '}'"
        case .missingText(let name): "text must stand between '\(name)' and the capture before it"
        case .repeatedName(let name): "the capture name '\(name)' is used twice"
        case .emptySegment: "empty segment, perhaps because a group is left out; remove one '/'"
        case .dotSegment: "a segment cannot be '.' or '..'"
        case .tooManyAlternatives:
            "the optional groups make more than \(RoutePattern.alternativeLimit) alternatives; split the route"
        case .userOrPort:
            "a host has no user or port here, because they take no part in matching: name '@user' or '@port' under "
                + "'require' or 'input'"
        case .textAfterCapture: "nothing can follow '*name'; put '\\' before a '*' that is meant as text"
        case .tooManySegments: "a pattern cannot have more than \(RoutePattern.segmentLimit) segments"
        }
    }

    /// Whether a pattern for another router often has this fault.
    fileprivate var isForeign: Bool {
        switch self {
        case .missingName, .reservedCharacter("?"), .reservedCharacter("("), .reservedCharacter("["): true
        default: false
        }
    }
}
