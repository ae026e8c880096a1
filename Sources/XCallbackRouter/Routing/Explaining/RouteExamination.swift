import XCallbackURL
import XCallbackWire

/// The result of matching an action against a single route, to explain why the route answers or does not.
///
/// It is slower than a match in the whole table, but gives reasons. A small table decides, so that it agrees with a
/// match.
package enum RouteExamination: Sendable {
    /// The route answers, unless a more specific one does. The captures are in the order of the pattern.
    case matches([Capture])
    /// The route does not answer; `fittingCount` segments from the left match.
    case differs(RouteMismatch, fittingCount: Int)

    /// Examines a route.
    ///
    /// - Parameters:
    ///   - route: The pattern and the types of its captures.
    ///   - bytes: A buffer that holds the decoded segments of the action.
    ///   - segments: The range of each segment in `bytes`.
    package init(of route: RoutingTable.Entry, _ bytes: Span<UInt8>, segments: [Range<Int>]) {
        let table = RoutingTable(RankedAlternatives([route]))
        var captures: [Capture] = []
        if table.match(bytes, segments: segments.span, into: &captures) != nil {
            self = .matches(captures)
        } else {
            let nearest = RouteMismatch.nearest(of: route, bytes, segments: segments)
            self = .differs(nearest.mismatch, fittingCount: nearest.fittingCount)
        }
    }
}

/// The reason why a route does not answer an action, with the text of the action and of the pattern.
package enum RouteMismatch: Hashable, Sendable {
    /// A segment of the action lacks the text of the pattern.
    case segment(found: String, pattern: String)
    /// A segment of the action does not match the types of these captures.
    case type(captures: [String])
    /// The action ends before the pattern does.
    case missing(pattern: String)
    /// The action has a segment after the end of the pattern.
    case excess(found: String)
    /// From a segment on, the action cannot be divided between a wildcard and the rest of the pattern.
    case rest(found: String, pattern: String)
    /// The action does not match the pattern as a whole.
    case whole(pattern: String)
}

extension RouteMismatch {
    /// Compares an action with a route that does not answer it.
    ///
    /// - Parameters:
    ///   - route: The pattern and the types of its captures.
    ///   - bytes: A buffer that holds the decoded segments of the action.
    ///   - segments: The range of each segment in `bytes`.
    /// - Returns: The first mismatch, and the number of segments before it, for the alternative of the pattern that
    ///   gets farthest.
    package static func nearest(
        of route: RoutingTable.Entry, _ bytes: Span<UInt8>, segments: [Range<Int>]
    ) -> (mismatch: RouteMismatch, fittingCount: Int) {
        var nearest = (mismatch: RouteMismatch.whole(pattern: route.pattern.text), fittingCount: -1)
        for alternative in route.pattern.alternatives {
            let found = first(in: alternative, of: route, bytes, segments)
            if found.fittingCount > nearest.fittingCount { nearest = found }
        }
        return (nearest.mismatch, max(nearest.fittingCount, 0))
    }

    /// The first mismatch of an alternative of the pattern, from the left.
    private static func first(
        in alternative: [RoutePattern.Segment], of route: RoutingTable.Entry, _ bytes: Span<UInt8>,
        _ segments: [Range<Int>]
    ) -> (mismatch: RouteMismatch, fittingCount: Int) {
        // Only segments within the pattern are examined: an action can have thousands more.
        var remaining = segments.makeIterator()
        for (index, segment) in alternative.enumerated() {
            guard let range = remaining.next() else {
                return (.missing(pattern: route.pattern.text(of: segment)), index)
            }
            let found = bytes.extracting(range)
            // After a wildcard, the assignment of segments is unknown.
            if segment.contains(where: \.isWildcard) {
                let rest = alternative[index...].map { route.pattern.text(of: $0) }.joined(separator: "/")
                return (.rest(found: beginning(of: found), pattern: rest), index)
            }
            if fits(segment, route, found) { continue }
            let typed = segment.compactMap(\.capture).filter { route.types[$0] != nil }
            // Text alone has no types that could fail.
            let failsByType = !typed.isEmpty && fits(segment, RoutingTable.Entry(pattern: route.pattern), found)
            return (
                failsByType
                    ? .type(captures: typed.map { route.pattern.captures[$0].name })
                    : .segment(found: beginning(of: found), pattern: route.pattern.text(of: segment)), index
            )
        }
        let excess = remaining.next().map { RouteMismatch.excess(found: beginning(of: bytes.extracting($0))) }
        return (excess ?? .whole(pattern: route.pattern.text), alternative.count)
    }

    /// Returns the beginning of a segment, which can be as long as the URL, as text for people.
    private static func beginning(of segment: Span<UInt8>) -> String {
        let text = String(utf8: segment.extracting(first: 64 * 4))
        return segment.count > 64 * 4 || text.count > 64 ? "\(text.prefix(64))…" : text
    }

    /// Whether a segment of a pattern without wildcards matches a segment of an action.
    private static func fits(
        _ segment: RoutePattern.Segment, _ route: RoutingTable.Entry, _ text: Span<UInt8>
    ) -> Bool {
        // Most segments need no table.
        switch segment.first {
        case .text(let expected)? where segment.count == 1: return areEqual(text, expected.span)
        case .parameter(let capture)? where segment.count == 1:
            return !text.isEmpty && route.types[capture]?.accepts(text) ?? true
        default: break
        }
        let captures = route.pattern.captures
        let single = RoutePattern(text: route.pattern.text, captures: captures, alternatives: [[segment]])
        let table = RoutingTable(RankedAlternatives([RoutingTable.Entry(pattern: single, types: route.types)]))
        var scratch: [Capture] = []
        let ranges = [0..<text.count]
        return table.match(text, segments: ranges.span, scratch: &scratch) != nil
    }
}

extension RoutePattern {
    /// Returns a segment in pattern syntax.
    func text(of segment: Segment) -> String {
        if syntax == .text { return text }
        return segment.map { part in
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
