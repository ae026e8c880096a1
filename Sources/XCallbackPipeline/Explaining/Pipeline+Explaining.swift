import XCallbackBytes
import XCallbackRouting
import XCallbackURL

extension Pipeline {
    /// Explains the expected result of a request; runs nothing, and changes nothing.
    ///
    /// The time grows with the number of routes. A cancelled task returns an incomplete result early.
    ///
    /// - Parameters:
    ///   - line: The URL of the request.
    ///   - peer: The process that would send it.
    ///   - origin: The origin of the request.
    ///   - state: The memory of the stages; a stage sees a copy.
    /// - Returns: The explanation.
    package func explain(
        _ line: Span<UInt8>, from peer: Peer, origin: Origin, state: PipelineState = PipelineState()
    ) -> Explanation {
        var explainer = Explainer(self, Walk(peer: peer, origin: origin), state)
        return explainer.explain(line, from: peer, origin: origin)
    }

    /// The routes that certainly never answer, each with a better one.
    package func unreachableRoutes() -> [(route: Route, better: Route)] {
        schemes.flatMap { scheme in
            ReachSearch(scheme.table, of: scheme.routes.map(\.routingEntry)).unreachableRoutes().map { finding in
                (scheme.routes[finding.route], scheme.routes[finding.better])
            }
        }
    }
}

extension Pipeline.Scheme {
    /// Compares the routes with an action, to explain why each answers or does not.
    ///
    /// - Parameters:
    ///   - url: The URL with the action, without a host that the scheme ignores.
    ///   - hop: Receives the candidates and the captures.
    func compare(_ url: borrowing ActionURL, into hop: inout Explanation.Hop) {
        let ranges = url.segmentRanges.span
        let bytes = url.storage.bytes.span
        var examinations: [RouteExamination] = []
        examinations.reserveCapacity(routes.count)
        for route in routes {
            if Task.isCancelled { return }
            examinations.append(RouteExamination(of: route.routingEntry, bytes, segments: ranges))
        }
        var scratch: [Capture] = []
        let best = routeIndex(of: url, into: &scratch)
        let nearness = routes.indices.map { $0 == best ? .max : examinations[$0].nearness }
        let order = routes.indices.sorted { (nearness[$1], $0) < (nearness[$0], $1) }
        if let best, case .matches(let match) = examinations[best] {
            for capture in match.captures {
                let name = routes[best].pattern.captures[capture.index].name
                hop.captures.append(name: name.utf8.span, value: bytes.extracting(capture.range))
            }
        }
        let shown = order.prefix(Explanation.candidateLimit)
        hop.omittedCount = order.count - shown.count
        hop.candidates = shown.map { index in
            let better = best.map { (route: routes[$0], match: examinations[$0].match) }
            return Explanation.Candidate(
                routes[index], examinations[index], isBest: index == best, better, segments: hop.segments)
        }
    }
}

extension RouteExamination {
    /// The match, if there is one.
    fileprivate var match: RouteMatch? {
        if case .matches(let match) = self { match } else { nil }
    }

    /// How close the route is to answering.
    fileprivate var nearness: Int {
        if case .differs(_, let fittingCount) = self { fittingCount } else { .max - 1 }
    }
}

extension Explanation.Candidate {
    fileprivate init(
        _ route: Route, _ examination: RouteExamination, isBest: Bool, _ better: (route: Route, match: RouteMatch?)?,
        segments: [String]
    ) {
        self.route = route
        switch examination {
        case .differs(let mismatch, _):
            verdict = .differs
            reason = mismatch.reason(segments, route)
        case .matches(let match):
            verdict = isBest ? .answers : .outranked
            let disadvantage = better?.match.flatMap { match.disadvantage(against: $0) }
            reason = isBest ? nil : better.map { disadvantage.reason(against: $0.route) }
        }
    }
}

extension RouteMismatch {
    /// The mismatch in a few words.
    fileprivate func reason(_ segments: [String], _ route: Route) -> String {
        switch self {
        case .segment(let index, let pattern): "segment \(index + 1) is '\(segments[index])', expected '\(pattern)'"
        case .missing(let pattern): "the action ends where '\(pattern)' is expected"
        case .excess(let index): "the action goes on with '\(segments[index])' where the pattern ends"
        case .rest(let index, let pattern): "the action does not fit '\(pattern)' from segment \(index + 1) on"
        case .type(let index, let captures):
            "segment \(index + 1) is '\(segments[index])', but "
                + captures.map { "'\($0)' must be \(route.expectation(of: $0))" }.joined(separator: " and ")
        }
    }
}

extension Route {
    fileprivate func expectation(of capture: String) -> String {
        stages.input.declarations.first(named: capture)?.rule.type.expectation ?? "another text"
    }
}

extension RouteDisadvantage? {
    /// The disadvantage in a few words.
    fileprivate func reason(against better: Route) -> String {
        let detail =
            switch self {
            case .kind(let index, let own, let other)?: ": segment \(index + 1) is \(own), there it is \(other)"
            case .lessText(let index)?: ": segment \(index + 1) has less text"
            case .fewerTypes(let index)?: ": segment \(index + 1) has fewer captures with a type"
            case .shorter?: ", which goes on where this one ends"
            case nil: ""
            }
        return "it is less specific than \(better.name)\(detail)"
    }
}
