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
package struct RoutePattern: Hashable, Sendable {
    /// The maximum number of ways to include and omit the groups of a pattern.
    package static let alternativeLimit = 64
    /// The maximum number of segments of a pattern.
    package static let segmentLimit = 128

    /// The pattern as it was written.
    package let text: String
    /// The captures, in written order.
    package let captures: [CaptureName]
    /// The pattern with its groups included or omitted, the fullest first, without duplicates.
    let segments: PatternSegments

    /// Creates a pattern from its written form.
    ///
    /// - Parameter text: The pattern, for example `/notes/:id{/:part}`.
    /// - Throws: ``RoutePatternError`` for the first fault.
    package init(_ text: String) throws(RoutePatternError) {
        self.text = text
        (segments, captures) = try PatternExpansion.expand(text)
    }

    /// The segments of each way to include or omit the groups, as nested arrays.
    var alternatives: [[Segment]] { segments.alternatives }
}

extension RoutePattern {
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
