/// The result of matching an action against a single route, to explain why the route answers or does not.
///
/// It is slower than a match in the whole table, but gives reasons. Small tables decide each question, so that it
/// agrees with a match.
package enum RouteExamination: Sendable {
    /// The route answers, unless a more specific one does.
    case matches(RouteMatch)
    /// The route does not answer; `fittingCount` segments from the left match.
    case differs(RouteMismatch, fittingCount: Int)

    /// Examines a route.
    ///
    /// - Parameters:
    ///   - route: The pattern and the types of its captures.
    ///   - bytes: A buffer that holds the decoded segments of the action.
    ///   - segments: The range of each segment in `bytes`; none is empty.
    package init(of route: RoutingTable.Route, _ bytes: Span<UInt8>, segments: Span<Range<Int>>) {
        let tree = RouteTree([route])
        let table = RoutingTable(tree)
        var captures: [Capture] = []
        let rank = table.rank(from: 0, at: 0, bytes, segments, scratch: &captures)
        if rank != RoutingTable.none {
            table.capture(rank, bytes, segments, into: &captures)
            self = .matches(RouteMatch(captures: captures, ranks: tree.ranks(of: tree.alternatives[rank])))
            return
        }
        var nearest = (mismatch: RouteMismatch.excess(segment: 0), fittingCount: -1)
        for alternative in route.pattern.alternatives {
            let found = Self.mismatch(of: alternative, in: route, bytes, segments)
            if found.fittingCount > nearest.fittingCount { nearest = found }
        }
        self = .differs(nearest.mismatch, fittingCount: max(nearest.fittingCount, 0))
    }

    /// Returns the first mismatch of an alternative of the pattern, from the left.
    private static func mismatch(
        of alternative: [RoutePattern.Segment], in route: RoutingTable.Route, _ bytes: Span<UInt8>,
        _ segments: Span<Range<Int>>
    ) -> (mismatch: RouteMismatch, fittingCount: Int) {
        for (index, segment) in alternative.enumerated() {
            let text = route.pattern.text(of: segment)
            guard index < segments.count else { return (.missing(pattern: text), index) }
            // After a wildcard, the assignment of segments is unknown.
            if segment.contains(where: \.isWildcard) {
                let rest = alternative[index...].map { route.pattern.text(of: $0) }.joined(separator: "/")
                return (.rest(from: index, pattern: rest), index)
            }
            // Only segments within the pattern are examined: an action can have thousands more.
            let found = bytes.extracting(segments[index])
            if fits(segment, route.pattern, route.types, found) { continue }
            // Text alone has no types that could fail.
            let isOfTypes =
                segment.contains { $0.capture != nil } && fits(segment, route.pattern, [:], found)
            let names = segment.compactMap { $0.capture.map { route.pattern.captures[$0].name } }
            return (
                isOfTypes
                    ? .type(segment: index, captures: names.filter { route.types[$0] != nil })
                    : .segment(index, pattern: text), index
            )
        }
        return (.excess(segment: alternative.count), alternative.count)
    }

    /// Whether a segment of a pattern without wildcards matches a segment of an action.
    private static func fits(
        _ segment: RoutePattern.Segment, _ pattern: RoutePattern, _ types: CaptureTypes, _ text: Span<UInt8>
    ) -> Bool {
        if case .text(let expected)? = segment.first, segment.count == 1 {
            return text.count == expected.count && text.indices.allSatisfy { text[$0] == expected[$0] }
        }
        let single = RoutePattern(text: pattern.text, captures: pattern.captures, alternatives: [[segment]])
        let table = RoutingTable(RouteTree([RoutingTable.Route(pattern: single, types: types)]))
        var scratch: [Capture] = []
        let ranges = [0..<text.count]
        return table.rank(from: 0, at: 0, text, ranges.span, scratch: &scratch) != RoutingTable.none
    }
}
