import XCallbackBytes
import XCallbackURL

/// Takes a request through a pipeline like a walk, but rehearses the stages, and records each step.
///
/// A walk does everything except the stages: parsing, callbacks, matching, redirects. So both agree.
struct Explainer {
    private let pipeline: Pipeline
    private var walk: Walk
    /// A copy, which stages can change.
    private var state: PipelineState
    private var isCertain = true

    init(_ pipeline: Pipeline, _ walk: Walk, _ state: PipelineState) {
        self.pipeline = pipeline
        self.walk = walk
        self.walk.isRehearsal = true
        self.state = state
    }

    /// Follows the request to its end.
    mutating func explain(_ line: Span<UInt8>, from peer: Peer, origin: Origin) -> Explanation {
        walk.begin(line, as: nil, from: peer, origin: origin, in: pipeline).abandon()
        let url = walk.request.url
        var hops: [Explanation.Hop] = []
        var fault: CallbackError?
        var response: Response? = walk.response
        if walk.hasResponse {
            if case .error(let error) = walk.response { fault = error }
        } else {
            response = follow(into: &hops)
        }
        let answers = AnswerWriter(url, pipeline.callbackRules, origin)
        return Explanation(
            url: String(utf8: line), peer: peer, origin: origin, fault: fault, hops: hops, response: response,
            isCertain: isCertain, answers: answers.answers(for: response, isFaulty: fault != nil))
    }

    /// Follows the URL and its redirects within the pipeline; returns the response, or nil if it is unknown.
    private mutating func follow(into hops: inout [Explanation.Hop]) -> Response? {
        while true {
            var hop = match()
            if !walk.hasResponse, let route = walk.request.matchedRoute { hop.response = pass(route, &hop) }
            hops.append(hop)
            guard case .redirect(let target)? = hop.response else { return hop.response }
            walk.end(with: .redirect(target))
            walk.redirect(to: target, pipeline)
            if case .finishing = walk.phase { return walk.response }
        }
    }

    /// Finds the route.
    private mutating func match() -> Explanation.Hop {
        let scheme = pipeline.schemes.first { $0.name == walk.request.url.scheme }
        var url = walk.request.url
        if scheme?.ignoresHosts == true { url.ignoreHost() }
        var hop = Explanation.Hop(
            url: url.received, action: url.canonicalAction, segments: url.segments, origin: walk.request.origin)
        // A host that is not a plain name matches no route.
        if url.oddHostOffset == nil { scheme?.compare(url, into: &hop) }
        walk.match(pipeline)
        if walk.hasResponse { hop.response = walk.response }
        if walk.request.matchedRoute !== pipeline.fallback { hop.route = walk.request.matchedRoute }
        return hop
    }

    /// Takes the request through the stages of its route; returns the response, or nil if it is unknown.
    private mutating func pass(_ route: Route, _ hop: inout Explanation.Hop) -> Response? {
        var enteredCount = 0
        var response = receive(route, &hop, &enteredCount)
        if response == nil { response = verify(route, &hop) }
        if response == nil { response = ask(route, &hop) }
        if response == nil { response = handle(route, &hop) }
        guard var response else { return nil }
        response.check()
        // The middleware sees the response of the request.
        if case .redirect(let target) = response, let error = walk.refusal(of: target, pipeline) {
            response = .error(error)
        }
        finish(route, &hop, enteredCount, &response)
        return response
    }

    private mutating func receive(
        _ route: Route, _ hop: inout Explanation.Hop, _ enteredCount: inout Int
    ) -> Response? {
        for middleware in route.stages.middleware {
            let before = walk.request
            let rehearsal = Rehearsal(of: middleware.stage, &walk.request, &state)
            enteredCount += 1
            let end = note(
                .middleware, middleware.shownName, rehearsal, &hop, changes: before.changes(to: walk.request))
            if let end { return end }
        }
        return nil
    }

    /// Rehearses all policies, because they are independent; the first that fails ends the request.
    private mutating func verify(_ route: Route, _ hop: inout Explanation.Hop) -> Response? {
        var end: Response?
        for policy in route.stages.policies {
            let rehearsal = Rehearsal(of: policy.stage, walk.request, &state)
            let isCertain = isCertain
            let response = note(.policy, policy.shownName, rehearsal, &hop)
            // Policies after the one that ends it decide nothing.
            if end != nil { self.isCertain = isCertain }
            end = end ?? response
        }
        if end != nil || route.stages.input.isEmpty { return end }
        do throws(CallbackError) {
            try route.stages.input.decode(&walk.request.parameters, plusIsSpace: route.readsForms)
            return note(.input, "input", Rehearsal(.proceeds), &hop)
        } catch {
            return note(.input, "input", Rehearsal(.ends(.error(error))), &hop)
        }
    }

    private mutating func ask(_ route: Route, _ hop: inout Explanation.Hop) -> Response? {
        for policy in route.stages.asyncPolicies {
            let rehearsal = Rehearsal(of: policy.stage, walk.request, &state)
            let end = note(.policy, policy.shownName(of: policy.stage), rehearsal, &hop)
            if let end { return end }
        }
        return nil
    }

    private mutating func handle(_ route: Route, _ hop: inout Explanation.Hop) -> Response? {
        let rehearsal = Rehearsal(of: route.stages.handler.stage, walk.request, &state)
        // The fallback without a route is not a handler of the configuration.
        if hop.route == nil, case .ends(let response) = rehearsal.outcome { return response }
        // If no stage uses them, they were not gathered.
        hop.parameters = route.chain.usesParameters ? walk.request.parameters : QueryItems()
        walk.isHandled = true
        return note(.handler, route.stages.handler.shownName, rehearsal, &hop)
    }

    /// Shows the response to the middleware that has received the request.
    private mutating func finish(
        _ route: Route, _ hop: inout Explanation.Hop, _ enteredCount: Int, _ response: inout Response
    ) {
        for middleware in route.stages.middleware[..<enteredCount].reversed() {
            let before = response
            middleware.stage.rehearseFinish(walk.request, &response, &state)
            if response == before { continue }
            note(
                .middleware, middleware.shownName, Rehearsal(.proceeds), &hop,
                changes: ["the response, on its way out"])
        }
        response.check()
    }

    /// Records what a stage would do.
    ///
    /// - Returns: The response, if the stage ends the request.
    @discardableResult
    private mutating func note(
        _ kind: Explanation.StageReport.Kind, _ name: String, _ rehearsal: Rehearsal, _ hop: inout Explanation.Hop,
        changes: [String] = []
    ) -> Response? {
        hop.stages.append(
            Explanation.StageReport(kind: kind, name: name, rehearsal: rehearsal, changes: changes))
        switch rehearsal.outcome {
        case .proceeds: return nil
        case .ends(let response): return response
        case .open:
            isCertain = false
            return nil
        }
    }
}

// A stage without a name is shown with its type.

extension NamedStage {
    fileprivate func shownName(of stage: some Any) -> String { name.isEmpty ? "\(type(of: stage))" : name }
}

extension NamedStage<Route.MiddlewareStage> {
    fileprivate var shownName: String {
        switch stage {
        case .immediate(let stage): shownName(of: stage)
        case .asynchronous(let stage): shownName(of: stage)
        }
    }
}

extension NamedStage<Route.PolicyStage> {
    fileprivate var shownName: String {
        switch stage {
        case .immediate(let stage): shownName(of: stage)
        case .looking(let stage): shownName(of: stage)
        }
    }
}

extension NamedStage<Route.HandlerStage> {
    fileprivate var shownName: String {
        switch stage {
        case .immediate(let stage): shownName(of: stage)
        case .asynchronous(let stage): shownName(of: stage)
        case .delivering(let stage): shownName(of: stage)
        }
    }
}
