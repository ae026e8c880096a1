package import XCallbackURL

/// What would happen to a request, with the reasons; no stage has run.
package struct Explanation: Sendable {
    /// The URL of the request.
    package let url: String
    /// The origin of the request.
    package let origin: Origin
    /// The URL, then each redirect within the pipeline; empty if the URL or one of its callbacks is invalid.
    package let hops: [Hop]
    /// The schemes of the pipeline.
    package let schemes: [String]
    /// The response, if it is known without running a stage.
    package let response: Response?
    /// The setting or the pattern with which a route could answer; nil if neither is likely.
    package internal(set) var syntaxHint: String?

    /// One URL on its way through the pipeline.
    package struct Hop: Sendable {
        /// The URL.
        package let url: String
        /// The action of the URL as a path, with each segment percent-encoded.
        package let action: String
        /// The scheme of the URL.
        package let scheme: String
        /// The origin of the URL.
        package let origin: Origin
        /// The routes of the URL's scheme, the nearest first, at most ``Explanation/candidateLimit``.
        package internal(set) var candidates: [Candidate] = []
        /// The number of other, less near routes of the scheme.
        package internal(set) var omittedCount = 0
        /// The route that answers; nil if none does.
        package internal(set) var route: Route?
        /// The captures of the route; a wildcard has one item for each segment.
        package internal(set) var captures = QueryItems()
        /// The stages of the route, in order.
        package internal(set) var stages: [Stage] = []
    }

    /// A route that could answer.
    package struct Candidate: Sendable {
        /// Whether a route answers.
        package enum Verdict: String, Sendable {
            /// It answers.
            case answers
            /// It would answer, but a more specific one does.
            case outranked
            /// It does not match.
            case differs
        }

        /// The route.
        package let route: Route
        /// Whether the route answers.
        package let verdict: Verdict
        /// The reason why the route does not answer; nil if it does.
        package let reason: String?
        /// The first mismatch; nil if the route matches.
        package let mismatch: RouteMismatch?
        /// The number of segments that match, from the left.
        package let fittingCount: Int
    }

    /// A stage of a route, with what it would do.
    package struct Stage: Sendable {
        /// The kinds of stages.
        package enum Kind: String, Sendable {
            case middleware, policy, input, handler
        }

        /// The kind of the stage.
        package let kind: Kind
        /// The name of the stage in the configuration.
        package let name: String
        /// What the stage would do.
        package internal(set) var plan: StagePlan
    }

    /// The maximum number of candidates that a hop shows.
    package static let candidateLimit = 100
}

extension Explanation {
    /// Returns what a user may see: no more than the list of routes and an answer show.
    ///
    /// It ends at the first URL, because an answer does not show where a redirect leads, and has no note of a stage.
    package func outline(for viewer: Viewer) -> Explanation {
        guard var first = hops.first else { return self }
        first.candidates.removeAll { !viewer.sees($0.route) }
        if let route = first.route, let refusal = viewer.refusal(of: route) {
            (first.route, first.captures, first.stages) = (nil, QueryItems(), [])
            return Explanation(url: url, origin: origin, hops: [first], schemes: schemes, response: .error(refusal))
        }
        guard let handler = first.route?.stages.handler, !first.stages.isEmpty else {
            return Explanation(url: url, origin: origin, hops: [first], schemes: schemes, response: response)
        }
        let refusal = first.stages.first { $0.kind == .input }?.plan.response
        first.stages = first.stages.map { stage in
            let text = stage.kind == .handler && refusal == nil ? handler.facts.outline : ""
            return Stage(kind: stage.kind, name: stage.name, plan: StagePlan(text))
        }
        return Explanation(url: url, origin: origin, hops: [first], schemes: schemes, response: refusal)
    }
}

extension StageFacts {
    /// What a handler does, without its settings; empty if the facts do not say it.
    fileprivate var outline: String {
        if runsProgram { return "runs a program" }
        if redirect != nil { return "redirects to another URL" }
        if clientName != nil { return "passes the request on to connected clients" }
        return returns != nil || constantResponse != nil ? "answers with fixed items" : ""
    }
}
