package import XCallbackURL
import XCallbackWire

extension Pipeline {
    /// The number of routes that ``nearRoutes(to:)`` examines, and the maximum number of bytes of the action.
    private static let (nearRouteLimit, nearActionLimit) = (256, 4096)

    /// Compares a URL that no route answers with routes of its scheme, in a bounded time.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The routes; none if the action is long.
    package func nearRoutes(to url: ActionURL) -> [Explanation.Candidate] {
        guard url.received.utf8.count <= Self.nearActionLimit, url.oddHostOffset == nil,
            let scheme = schemes.first(where: { $0.name == url.scheme })
        else { return [] }
        var url = url
        scheme.prepare(&url)
        let bytes = url.storage.bytes.span
        var candidates: [Explanation.Candidate] = []
        for route in scheme.routes.prefix(Self.nearRouteLimit) {
            let segments = url.segments(of: route.pattern)
            let nearest = RouteMismatch.nearest(of: route.routingEntry, bytes, segments: segments)
            candidates.append(Explanation.Candidate(route, nearest.mismatch, nearest.fittingCount))
        }
        return candidates
    }
}

extension Pipeline.Scheme {
    /// Compares the routes with an action, to explain why each answers or does not.
    ///
    /// - Parameters:
    ///   - url: The prepared URL.
    ///   - hop: Receives the candidates and the captures.
    func compare(_ url: borrowing ActionURL, into hop: inout Explanation.Hop) {
        let bytes = url.storage.bytes.span
        var scratch: [Capture] = []
        let best = routeIndex(of: url, into: &scratch).map { routes[$0] }
        var candidates: [Explanation.Candidate] = []
        candidates.reserveCapacity(routes.count)
        for route in routes {
            switch RouteExamination(of: route.routingEntry, bytes, segments: url.segments(of: route.pattern)) {
            case .differs(let mismatch, let fittingCount):
                candidates.append(Explanation.Candidate(route, mismatch, fittingCount))
            case .matches(let captures):
                candidates.append(Explanation.Candidate(route, outrankedBy: route === best ? nil : best))
                guard route === best else { continue }
                for capture in captures {
                    let name = route.pattern.captures[capture.index].name
                    hop.captures.append(name: name.utf8.span, value: bytes.extracting(url.wholeRange(capture.range)))
                }
            }
        }
        let order = candidates.indices.sorted {
            (candidates[$1].fittingCount, $0) < (candidates[$0].fittingCount, $1)
        }
        hop.candidates = order.prefix(Explanation.candidateLimit).map { candidates[$0] }
        hop.omittedCount = candidates.count - hop.candidates.count
    }
}

extension Explanation.Candidate {
    fileprivate init(_ route: Route, _ mismatch: RouteMismatch, _ fittingCount: Int) {
        self.init(
            route: route, verdict: .differs, reason: mismatch.reason(of: route), mismatch: mismatch,
            fittingCount: fittingCount)
    }

    /// Creates the candidate of a route that matches.
    fileprivate init(_ route: Route, outrankedBy better: Route?) {
        self.init(
            route: route, verdict: better == nil ? .answers : .outranked,
            reason: better.map { "\($0.name) is more specific" }, mismatch: nil,
            fittingCount: better == nil ? .max : .max - 1)
    }
}

extension RouteMismatch {
    /// The mismatch in a few words.
    fileprivate func reason(of route: Route) -> String {
        switch self {
        case .segment(let found, let pattern): "it has '\(pattern)' where the URL has '\(found)'"
        case .missing(let pattern): "the URL ends before '\(pattern)'"
        case .excess(let found): "the URL goes on with '\(found)'"
        case .rest(let found, let pattern): "the URL does not fit '\(pattern)' from '\(found)' on"
        case .whole(let pattern): "the URL does not fit '\(pattern)'"
        case .type(let captures):
            captures.map { "'\($0)' must be \(route.expectation(of: $0))" }.joined(separator: " and ")
        }
    }
}

extension Route {
    fileprivate func expectation(of capture: String) -> String {
        stages.input.declarations.first(named: capture)?.rule.type.expectation ?? "another text"
    }
}

extension ActionURL {
    /// The ranges of the segments as matching compares them with a pattern.
    fileprivate func segments(of pattern: RoutePattern) -> [Range<Int>] {
        segments(skippingSlashes: !pattern.beginsWithSlashes)
    }
}
