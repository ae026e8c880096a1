/// The written form of the actions a route answers, in the syntax of Express 5 (path-to-regexp 8).
///
/// A pattern is a list of segments, each with a slash before it; a trailing slash carries no meaning, and `/` alone is
/// the root, which has no segments. In a segment stand
/// - *text*, compared with the decoded bytes of the action's segment, with case. A `\` takes the meaning from the
///   character after it; `\/` is a slash inside a segment, which an action writes as `%2F`;
/// - *parameters*, `:name`, which capture one or more bytes of one segment;
/// - *wildcards*, `*name`, which capture one or more segments or what text beside them leaves of these; no piece of a
///   wildcard is empty.
///
/// A name is a JavaScript identifier or stands in double quotes. Text must stand between two captures.
/// Braces enclose an optional group, which may cut across segments and contain other groups. When a group at the
/// beginning is left out, the first slash is implied: `{/:user/}notes` answers `/ada/notes` and `/notes`.
///
/// Where captures can divide segments in more than one way, each takes as much as it can, from the left on: `/:from-:to`
/// reads `a-b-c` as `a-b` and `c`, and `/*first-*last` does, too. Only a parameter ahead of the first wildcard of its
/// segment takes as little as it can: `/:first-*rest` reads `a-b-c` as `a` and `b-c`. Types have no say in how a segment is
/// divided; beside a second wildcard of the same segment they do not decide at all.
/// A wildcard takes as many segments as the rest of the pattern leaves.
///
/// Text is written as people read it: a percent-encoded character in it is refused.
package struct RoutePattern: Hashable, Sendable {
    /// How many ways to include and leave out its groups a pattern may have.
    package static let alternativeLimit = 64
    /// How many segments a pattern may have.
    package static let segmentLimit = 128

    /// The pattern as it was written.
    package let text: String
    /// The captures, in the order in which they are written.
    package let captures: [CaptureName]
    /// The pattern with its groups included or left out, the fullest first, without repetitions.
    let segments: PatternSegments

    /// Creates a pattern from its written form.
    ///
    /// - Parameter text: The pattern, for example `/notes/:id{/:part}`.
    /// - Throws: ``RoutePatternError`` for the first thing that is wrong.
    package init(_ text: String) throws(RoutePatternError) {
        self.text = text
        (segments, captures) = try PatternExpansion.expand(text)
    }

    /// The segments of each way to include or leave out the groups, as arrays of their own.
    var alternatives: [[Segment]] { segments.alternatives }
}

extension RoutePattern {
    /// A segment of one alternative: texts and captures in turn.
    typealias Segment = [Part]

    /// What a segment is made of.
    enum Part: Hashable, Sendable {
        /// Bytes to be found as they are, never none.
        case text([UInt8])
        /// A parameter, as an index into `captures`.
        case parameter(Int)
        /// A wildcard, as an index into `captures`.
        case wildcard(Int)
    }
}

/// What a pattern says about one of its captures.
package struct CaptureName: Hashable, Sendable {
    /// The name, without quotes and escapes.
    package let name: String
    /// Whether it captures a list of segments.
    package let isWildcard: Bool
    /// Whether it stands in an optional group, so a match may lack it.
    package let isOptional: Bool
}

extension [CaptureName] {
    /// The capture with a name, which is compared byte by byte, as names in URLs are.
    package func first(named name: String) -> CaptureName? {
        first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
