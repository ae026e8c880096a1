package import XCallbackURL

/// The written form of the actions a route answers, in the syntax of Express 5 (path-to-regexp 8).
///
/// A pattern is a list of segments, each preceded by a slash; a trailing slash is insignificant, and `/` alone is the
/// root, which has no segments. A segment consists of
/// - *text*, compared with the decoded bytes of the action's segment, case-sensitively. A `\` makes the next character
/// literal; `\/` is a slash inside a segment, which an action writes as `%2F`;
/// - *parameters*, `:name`, which capture one or more bytes of one segment;
/// - *wildcards*, `*name`, which capture one or more segments, except for adjacent text in them; no piece of a wildcard
/// is empty.
///
/// A name is a JavaScript identifier or in double quotes. Two captures must be separated by text.
/// Braces enclose an optional group, which can span segments and contain other groups. If a group at the start is
/// omitted, the first slash is implied: `{/:user/}notes` answers `/ada/notes` and `/notes`.
///
/// If captures can divide segments in more than one way, each takes as much as it can, from left to right: `/:from-:to`
/// reads `a-b-c` as `a-b` and `c`, and so does `/*first-*last`. Only a parameter before the first wildcard of its
/// segment takes as little as it can: `/:first-*rest` reads `a-b-c` as `a` and `b-c`. Types do not affect the division
/// of a segment; in a segment with a second wildcard, they are ignored.
/// A wildcard takes as many segments as the rest of the pattern leaves.
///
/// Text is written as people read it: percent-encoded characters in it are rejected.
///
/// In syntax `url`, a pattern that begins with `//` continues with a host, and any other needs no slash at its start. In
/// syntax `text`, a pattern is text, with an optional `*name` at its end; only `*` and `\` are special.
package struct RoutePattern: Hashable, Sendable {
    /// The maximum number of ways to include and omit the groups of a pattern.
    package static let alternativeLimit = 64
    /// The maximum number of segments of a pattern.
    package static let segmentLimit = 128

    /// A segment of an alternative: alternating texts and captures.
    typealias Segment = [Part]

    /// A part of a segment.
    enum Part: Hashable, Sendable {
        /// Bytes to match exactly; never empty.
        case text([UInt8])
        /// A parameter, as an index into `captures`.
        case parameter(Int)
        /// A wildcard, as an index into `captures`.
        case wildcard(Int)

        /// The index of the capture, if the part is one.
        var capture: Int? {
            switch self {
            case .text: nil
            case .parameter(let capture), .wildcard(let capture): capture
            }
        }
    }

    /// The pattern as it was written.
    package let text: String
    /// The syntax of the URLs.
    package let syntax: URLSyntax
    /// The captures, in written order.
    package let captures: [CaptureName]
    /// The segments of each way to include or omit the groups, the fullest first, without duplicates.
    let alternatives: [[Segment]]

    /// Creates a pattern from its written form.
    ///
    /// - Parameters:
    ///   - text: The pattern, for example `/notes/:id{/:part}`.
    ///   - syntax: The syntax of the URLs.
    /// - Throws: ``RoutePatternError`` for the first fault.
    package init(_ text: String, as syntax: URLSyntax = .callback) throws(RoutePatternError) {
        var parser = PatternParser(text, syntax)
        alternatives = try parser.parse()
        captures = parser.captures
        self.text = text
        self.syntax = syntax
    }

    /// Creates a pattern from its parts.
    init(text: String, syntax: URLSyntax = .callback, captures: [CaptureName], alternatives: [[Segment]]) {
        self.text = text
        self.syntax = syntax
        self.captures = captures
        self.alternatives = alternatives
    }

    /// Creates a pattern that is the concatenation of two patterns.
    ///
    /// Each pattern keeps its own segments: `/a` and `{/:b/}c` answer `/a/1/c` and `/a/c`.
    ///
    /// - Throws: ``RoutePatternError`` for a name that is in both, or if there are too many alternatives or segments.
    package init(_ prefix: RoutePattern, _ rest: RoutePattern) throws(RoutePatternError) {
        let beginning = prefix.text.hasSuffix("/") ? String(prefix.text.dropLast()) : prefix.text
        let text = rest.text == "/" && !beginning.isEmpty ? beginning : beginning + rest.text
        func fault(_ reason: RoutePatternError.Reason) -> RoutePatternError {
            RoutePatternError(reason: reason, position: beginning.unicodeScalars.count, pattern: text)
        }
        if let repeated = rest.captures.first(where: { prefix.captures.first(named: $0.name) != nil }) {
            throw fault(.repeatedName(repeated.name))
        }
        guard prefix.alternatives.count * rest.alternatives.count <= Self.alternativeLimit else {
            throw fault(.tooManyAlternatives)
        }
        var alternatives: [[Segment]] = []
        for first in prefix.alternatives {
            for second in rest.alternatives {
                let segments = first + second.map { $0.map { $0.moved(by: prefix.captures.count) } }
                guard segments.count <= Self.segmentLimit else { throw fault(.tooManySegments) }
                if !alternatives.contains(segments) { alternatives.append(segments) }
            }
        }
        self.init(text: text, captures: prefix.captures + rest.captures, alternatives: alternatives)
    }

    /// The first segments that consist of text.
    package var firstTexts: [[UInt8]] {
        alternatives.compactMap { segments in
            if let segment = segments.first, segment.count == 1, case .text(let text) = segment[0] { text } else { nil }
        }
    }

    /// The name of the first parameter that is the whole first segment.
    package var firstParameter: String? {
        for segment in alternatives.compactMap(\.first) where segment.count == 1 {
            if case .parameter(let capture) = segment[0] { return captures[capture].name }
        }
        return nil
    }

    /// The number of bytes of text at the start of a pattern of syntax `text`.
    package var literalCount: Int { literalStart.count }

    /// Whether a pattern of syntax `text` begins with `//`; otherwise, that of a URL is skipped.
    package var beginsWithSlashes: Bool { syntax == .text && literalStart.starts(with: "//".utf8) }

    private var literalStart: [UInt8] {
        if case .text(let text)? = alternatives.first?.first?.first { text } else { [] }
    }

    /// Creates a pattern with the captures of an invalid text, as far as they can be read.
    ///
    /// It answers nothing, but references to its captures can still be checked.
    package init(capturesOf text: String) {
        var captures: [CaptureName] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == ":" || scalar == "*" else { continue }
            let isQuoted = rest.first == "\""
            if isQuoted { rest.removeFirst() }
            let name = String(rest.prefix { isQuoted ? $0 != "\"" : $0.continuesIdentifier })
            if name.isEmpty || captures.first(named: name) != nil { continue }
            captures.append(CaptureName(name: name, isWildcard: scalar == "*", isOptional: false))
        }
        self.init(text: text, captures: captures, alternatives: [])
    }
}

/// Information about a capture of a pattern.
package struct CaptureName: Hashable, Sendable {
    /// The name, without quotes and escapes.
    package let name: String
    /// Whether it captures a list of segments.
    package let isWildcard: Bool
    /// Whether it is in an optional group, so that a match can lack it.
    package let isOptional: Bool
}

extension [CaptureName] {
    /// Returns the capture with a name; names are compared byte by byte, like names in URLs.
    package func first(named name: String) -> CaptureName? {
        first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension RoutePattern.Part {
    /// Returns the part with its capture index moved.
    fileprivate func moved(by count: Int) -> Self {
        switch self {
        case .text: self
        case .parameter(let capture): .parameter(capture + count)
        case .wildcard(let capture): .wildcard(capture + count)
        }
    }
}

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
