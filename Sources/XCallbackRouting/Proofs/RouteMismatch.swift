/// The reason why a route does not answer an action; segment indices start at 0.
package enum RouteMismatch: Hashable, Sendable {
    /// A segment of the action lacks the text of the pattern.
    case segment(Int, pattern: String)
    /// A segment of the action does not match the types of these captures.
    case type(segment: Int, captures: [String])
    /// The action ends before the pattern does.
    case missing(pattern: String)
    /// The action has a segment after the end of the pattern.
    case excess(segment: Int)
    /// From a segment on, the action cannot be divided between a wildcard and the rest of the pattern.
    case rest(from: Int, pattern: String)
}

/// The match of an action by a single route.
package struct RouteMatch: Hashable, Sendable {
    /// The captured pieces, in the order of the pattern.
    package let captures: [Capture]
    /// The rank of each segment of the pattern, with the groups of this match.
    let ranks: [SegmentRank]

    /// Returns the reason why another match of the same action is more specific; nil if it is not.
    package func disadvantage(against other: RouteMatch) -> RouteDisadvantage? {
        for (index, (own, better)) in zip(ranks, other.ranks).enumerated() where own != better {
            guard better < own else { return nil }
            if own.kind == better.kind, own.textCount != better.textCount { return .lessText(segment: index) }
            return own.words != better.words
                ? .kind(segment: index, own: own.words, better: better.words) : .fewerTypes(segment: index)
        }
        return ranks.count < other.ranks.count ? .shorter : nil
    }
}

/// The reason why a route is less specific than another one; segment indices of its pattern start at 0.
package enum RouteDisadvantage: Hashable, Sendable {
    /// The segment has a kind with lower precedence.
    case kind(segment: Int, own: String, better: String)
    /// The segment has less text.
    case lessText(segment: Int)
    /// Fewer captures of the segment have types.
    case fewerTypes(segment: Int)
    /// The pattern ends earlier.
    case shorter
}

extension SegmentRank {
    /// The name of the kind, for people.
    fileprivate var words: String {
        switch kind {
        case .literal: "text"
        case .partlyLiteral: hasWildcard ? "text with a wildcard" : "text with captures"
        case .parameter: "a capture"
        case .wildcard: "a wildcard"
        }
    }
}

extension RoutePattern {
    /// Creates a pattern from its parts.
    init(text: String, captures: [CaptureName], alternatives: [[Segment]]) {
        self.text = text
        self.captures = captures
        segments = PatternSegments(alternatives)
    }

    /// Returns a segment in pattern syntax.
    func text(of segment: Segment) -> String {
        segment.map { part in
            switch part {
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .parameter(let capture): ":\(captures[capture].writtenName)"
            case .wildcard(let capture): "*\(captures[capture].writtenName)"
            }
        }.joined()
    }
}

extension RoutePattern.Part {
    /// Whether the part can capture more than one segment.
    var isWildcard: Bool {
        if case .wildcard = self { true } else { false }
    }
}

extension CaptureName {
    /// The name, in quotes if it needs them.
    fileprivate var writtenName: String {
        name.unicodeScalars.allSatisfy(\.continuesIdentifier) ? name : "\"\(name)\""
    }
}
