import XCallbackURL
import XCallbackWire

extension Pipeline {
    /// Explains what would happen to a request; runs no stage, and changes nothing.
    ///
    /// The time grows with the number of routes. A cancelled task returns an incomplete result early.
    ///
    /// - Parameters:
    ///   - line: The URL of the request.
    ///   - peer: The process that would send it.
    ///   - origin: The origin of the request.
    /// - Returns: The explanation.
    package func explain(_ line: Span<UInt8>, from peer: Peer, origin: Origin) -> Explanation {
        var explainer = Explainer(pipeline: self, execution: Execution(peer: peer, origin: origin))
        return explainer.explain(line, from: peer, origin: origin)
    }
}

/// Takes a request through a pipeline without its stages: parsing, callbacks, matching and redirects are those of a
/// real request.
private struct Explainer {
    let pipeline: Pipeline
    var execution: Execution
    /// The response, once it is known.
    var response: Response?

    mutating func explain(_ line: Span<UInt8>, from peer: Peer, origin: Origin) -> Explanation {
        execution.begin(line, as: nil, from: peer, origin: origin, in: pipeline).abandon()
        var hops: [Explanation.Hop] = []
        if execution.hasResponse {
            response = execution.response
        } else {
            repeat { hops.append(nextHop()) } while follow()
        }
        var hint: String?
        let last = hops.last?.url ?? String(utf8: line)
        if case .error(let error) = response { hint = pipeline.syntaxHint(for: last, error) }
        return Explanation(
            url: String(utf8: line), origin: origin, hops: hops, schemes: pipeline.schemes.map(\.name),
            response: response, syntaxHint: hint)
    }

    /// Matches the current URL, and collects the plans of the stages.
    private mutating func nextHop() -> Explanation.Hop {
        let scheme = pipeline.schemes.first { $0.name == execution.request.url.scheme }
        var url = execution.request.url
        scheme?.prepare(&url)
        var hop = Explanation.Hop(
            url: url.received, action: url.canonicalAction, scheme: url.scheme, origin: execution.request.origin)
        // A host that is not a plain name matches no route.
        if url.oddHostOffset == nil { scheme?.compare(url, into: &hop) }
        execution.match(pipeline, comparesSecrets: false)
        response = execution.hasResponse ? execution.response : nil
        if let route = execution.request.matchedRoute, route !== pipeline.fallback {
            hop.route = route
            if response == nil { hop.stages = stages(of: route) }
        } else if response == nil {
            response = .error(scheme == nil ? .unknownScheme : .unknownAction)
        }
        return hop
    }

    /// Continues with the target of a redirect within the pipeline; false if the request ends.
    private mutating func follow() -> Bool {
        guard case .redirect(let target)? = response else { return false }
        execution.isHandled = true
        execution.end(with: .redirect(target))
        execution.redirect(to: target, pipeline)
        if case .matching = execution.phase { return true }
        response = execution.response
        return false
    }

    /// Collects the plans of all stages of a route, and the response if one of them certainly ends the request.
    private mutating func stages(of route: Route) -> [Explanation.Stage] {
        let stages = route.stages
        let request = execution.request
        var list = stages.middleware.map { Explanation.Stage(.middleware, $0.name, $0.stage.planned, request) }
        list += stages.policies.map { Explanation.Stage(.policy, $0.name, $0.stage.planned, request) }
        if !stages.input.isEmpty { list.append(decode(stages.input, of: route)) }
        // With wrong input, nothing is known of the later stages.
        let isDecoded = list.last.map { $0.plan.response == nil && ($0.kind != .input || $0.plan.text.isEmpty) } ?? true
        let decoded = execution.request
        list += stages.asyncPolicies.map { Explanation.Stage(.policy, $0.name, isDecoded ? $0.stage : nil, decoded) }
        list.append(.init(.handler, stages.handler.name, isDecoded ? stages.handler.stage.planned : nil, decoded))
        response = list.lazy.compactMap(\.plan.response).first
        // Middleware can still change the parameters.
        if stages.middleware.contains(where: \.facts.usesParameters) {
            if case .error = response { response = nil }
            for index in list.indices { list[index].plan.isPassed = false }
        }
        return list
    }

    private mutating func decode(_ input: Input, of route: Route) -> Explanation.Stage {
        do throws(CallbackError) {
            try input.decode(&execution.request.parameters, plusIsSpace: route.readsForms)
            return Explanation.Stage(kind: .input, name: "input", plan: StagePlan())
        } catch {
            let question = route.stages.waitingInput?.plan(for: execution.request) ?? StagePlan()
            let plan = question.text.isEmpty ? StagePlan(response: .error(error)) : question
            return Explanation.Stage(kind: .input, name: "input", plan: plan)
        }
    }
}

extension Explanation.Stage {
    fileprivate init(_ kind: Kind, _ name: String, _ stage: (any Stage)?, _ request: Request) {
        self.init(kind: kind, name: name, plan: stage?.plan(for: request) ?? StagePlan())
    }
}
