/// Why a route does not answer an action; segments are counted from 0.
package enum RouteMismatch: Hashable, Sendable {
    /// A segment of the action does not have the text that the pattern has there.
    case segment(Int, pattern: String)
    /// A segment of the action is not of the types that these captures have.
    case type(segment: Int, captures: [String])
    /// The action ends where the pattern goes on.
    case missing(pattern: String)
    /// The action goes on with a segment where the pattern ends.
    case excess(segment: Int)
    /// From a segment on, the action cannot be divided as a wildcard and what follows it want it.
    case rest(from: Int, pattern: String)
}

/// How a route matches an action by itself.
package struct RouteMatch: Hashable, Sendable {
    /// The captured pieces, in the order of the pattern.
    package let captures: [Capture]
    /// How specific each segment of the pattern is, with its groups as they are in this match.
    let ranks: [SegmentRank]

    /// Why another match of the same action is more specific; nil if it is not.
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

/// In what a route is less specific than another one; segments of its pattern are counted from 0.
package enum RouteDisadvantage: Hashable, Sendable {
    /// The segment is of a kind that comes later.
    case kind(segment: Int, own: String, better: String)
    /// Less of the segment is text.
    case lessText(segment: Int)
    /// Fewer captures of the segment have a type.
    case fewerTypes(segment: Int)
    /// The pattern ends earlier.
    case shorter
}

extension SegmentRank {
    /// The kind, for people.
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

    /// A segment as a pattern writes it.
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
    /// Whether it may capture more than one segment.
    var isWildcard: Bool {
        if case .wildcard = self { true } else { false }
    }
}

extension CaptureName {
    /// The name, in quotes if it has to stand in them.
    fileprivate var writtenName: String {
        name.unicodeScalars.allSatisfy(\.continuesIdentifier) ? name : "\"\(name)\""
    }
}
