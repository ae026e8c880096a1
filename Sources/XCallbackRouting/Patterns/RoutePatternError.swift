/// Says why a text is not a route pattern, and where.
package struct RoutePatternError: Error, Hashable, Sendable {
    /// What is wrong with the pattern.
    package enum Reason: Hashable, Sendable {
        /// The first character outside a group brace is not a slash.
        case missingSlash
        /// No name follows `:` or `*`.
        case missingName
        /// A quoted name has no closing quote.
        case unterminatedQuote
        /// A `\` ends the pattern.
        case missingEscapedCharacter
        /// One of `( ) [ ] + ? !` stands without a `\` before it.
        case reservedCharacter(Unicode.Scalar)
        /// Text is percent-encoded, as it is in URLs, and what to write instead, if that can be shown.
        case percentEscape(String, instead: String?)
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
    }

    /// What is wrong.
    package let reason: Reason
    /// Where it is wrong: the number of Unicode scalars of the pattern before the place.
    ///
    /// What is never closed is reported where it was opened.
    package let position: Int
    /// The whole text that is not a pattern.
    package let pattern: String
}

extension RoutePatternError: CustomStringConvertible {
    /// One line for the person who wrote the pattern.
    package var description: String { description(declaring: false) }

    /// One line for the person who wrote the pattern in a configuration, with what is to be declared there.
    package var configurationDescription: String { description(declaring: true) }

    private func description(declaring: Bool) -> String {
        let place = "at position \(position) of \(pattern)"
        guard reason.isForeign, let mend = ForeignPattern(pattern) else { return "\(reason.description), \(place)" }
        let isQuery = mend.hasQuery && reason == .reservedCharacter("?")
        return "\(reason.fault)\(isQuery ? "; a route has no query" : ""): write '\(mend.pattern)'"
            + "\(declaring ? mend.input : "")\(mend.loss)\(mend.letterHint), \(place)"
    }
}

extension RoutePatternError.Reason: CustomStringConvertible {
    /// What is wrong and what helps, without the place.
    package var description: String {
        switch self {
        case .missingSlash: fault
        case .missingName: "\(fault); put '\\' before a character that is meant as text"
        case .unterminatedQuote: "the quoted name has no closing '\"'"
        case .missingEscapedCharacter: "a character must follow '\\'"
        case .reservedCharacter("+"): "\(fault); put '\\' before it, or write ' ' if you mean a space"
        case .reservedCharacter: "\(fault); put '\\' before it"
        case .percentEscape(let escape, let text):
            "a pattern is not percent-encoded; write \(text.map { "'\($0)'" } ?? "the character itself") instead of "
                + "'\(escape)', or '\\%' for a '%'"
        case .unexpectedBrace: "'}' closes no group; put '\\' before it if it is meant as text"
        case .unterminatedGroup: "the group has no closing '}'"
        case .missingText(let name): "text must stand between '\(name)' and the capture before it"
        case .repeatedName(let name): "the capture name '\(name)' is used twice"
        case .emptySegment: "empty segment, perhaps because a group is left out; remove one '/'"
        case .dotSegment: "a segment cannot be '.' or '..'"
        case .tooManyAlternatives:
            "the optional groups make more than \(RoutePattern.alternativeLimit) alternatives; split the route"
        case .tooManySegments: "a pattern cannot have more than \(RoutePattern.segmentLimit) segments"
        }
    }
}

extension RoutePatternError.Reason {
    /// Whether a pattern has this fault that is written for another router.
    fileprivate var isForeign: Bool {
        switch self {
        case .missingSlash, .missingName, .reservedCharacter, .emptySegment: true
        default: false
        }
    }

    /// What is wrong, without what helps, where there is more than one way to mend it.
    fileprivate var fault: String {
        switch self {
        case .missingSlash: "a pattern must start with '/'"
        case .missingName: "a name must follow ':' or '*'"
        case .reservedCharacter(let character): "'\(character)' is reserved"
        case .emptySegment: "empty segment, because a group is left out"
        default: description
        }
    }
}
