import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline
import XCallbackVarlink

/// The names under which clients receive and the topics to which they subscribe, as the routes say.
struct ClientNames {
    private var names: [String: ReceiverRule] = [:]
    private var topics: [String: (rule: ReceiverRule, routes: [Route])] = [:]

    /// Gathers them.
    init(_ routes: [Route]) {
        for route in routes {
            let stages = route.chain.stages
            guard let rule = stages.receivers else { continue }
            switch stages.handler.stage {
            case .delivering(let handler): names[handler.name] = rule
            case .immediate(let handler as any PublishingHandler):
                topics[handler.topic, default: (rule, [])].routes.append(route)
            default: break
            }
        }
    }

    /// Why a client may not receive as a name; nil if it may.
    func refusal(of peer: Peer, toReceiveAs name: String, mayAll: Bool, _ state: inout PipelineState) -> VarlinkError? {
        guard let rule = names[name] else { return .unknownName(name) }
        return mayAll || rule.allows(peer, &state) ? nil : .permissionDenied
    }

    /// Why a client may not subscribe to a topic; nil if it may.
    func refusal(
        of peer: Peer, toSubscribeTo topic: String, mayAll: Bool, _ state: inout PipelineState
    ) -> VarlinkError? {
        guard let entry = topics[topic] else { return .unknownTopic(topic) }
        return mayAll || entry.rule.allows(peer, &state) ? nil : .permissionDenied
    }

    /// Why a request may not be published to a topic; nil if it may.
    ///
    /// Whoever is not allowed to do everything has to satisfy the policies of a route that publishes to the topic; one
    /// that asks somebody, or declares its input, is for URLs only.
    func refusal(
        of request: Request, toPublishTo topic: String, mayAll: Bool, _ state: inout PipelineState
    ) -> VarlinkError? {
        guard let entry = topics[topic] else { return .unknownTopic(topic) }
        if mayAll { return nil }
        let isAllowed = entry.routes.contains { route in
            let stages = route.chain.stages
            guard stages.asyncPolicies.isEmpty, stages.input.isEmpty, !stages.policies.isEmpty else { return false }
            var request = request
            request.matchedRoute = route
            return stages.policies.allSatisfy { $0.stage.verify(request, &state) == .verified }
        }
        return isAllowed ? nil : .permissionDenied
    }
}

extension VarlinkError {
    /// The configuration has no route that delivers to a name.
    fileprivate static func unknownName(_ name: String) -> Self {
        Self("\(RouterInterface.name).UnknownName", [.init("name", .string(name))])
    }

    /// The configuration has no such topic.
    fileprivate static func unknownTopic(_ topic: String) -> Self {
        Self("\(RouterInterface.name).UnknownTopic", [.init("topic", .string(topic))])
    }
}
