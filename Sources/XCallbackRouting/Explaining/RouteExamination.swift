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
    ///   - segments: The range of each segment in `bytes`; none is empty.
    package init(of route: RoutingTable.Route, _ bytes: Span<UInt8>, segments: Span<Range<Int>>) {
        let table = RoutingTable(RankedAlternatives([route]))
        var captures: [Capture] = []
        let rank = table.rank(from: 0, at: 0, bytes, segments, scratch: &captures)
        if rank != RoutingTable.none {
            table.capture(rank, bytes, segments, into: &captures)
            self = .matches(captures)
        } else {
            let nearest = RouteMismatch.nearest(of: route, bytes, segments: segments)
            self = .differs(nearest.mismatch, fittingCount: nearest.fittingCount)
        }
    }
}
