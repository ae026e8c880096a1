import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

/// The names as which clients can receive and the topics to which they can subscribe, according to the routes.
struct ClientNames {
    private var names: [String: [Route.PolicyStage]] = [:]
    private var topics: [String: (policies: [Route.PolicyStage], routes: [Route])] = [:]

    /// Collects the names and topics of routes.
    init(_ routes: [Route]) {
        for route in routes {
            let stages = route.chain.stages
            guard let policies = stages.receivers else { continue }
            guard let name = stages.handler.facts.clientName else { continue }
            if case .delivering = stages.handler.stage {
                names[name] = policies
            } else {
                topics[name, default: (policies, [])].routes.append(route)
            }
        }
    }

    /// Returns the conditions under which a client may receive as a name.
    func conditions(for peer: Peer, toReceiveAs name: String) -> Conditions {
        guard let policies = names[name] else { return Conditions(unknown: .unknownName(name)) }
        return Conditions(of: policies, for: peer)
    }

    /// Returns the conditions under which a client may subscribe to topics.
    func conditions(for peer: Peer, toSubscribeTo topics: Set<String>) -> Conditions {
        var all: [[Route.PolicyStage]] = []
        for topic in topics {
            guard let policies = self.topics[topic]?.policies else { return Conditions(unknown: .unknownTopic(topic)) }
            all.append(policies)
        }
        return all.contains(where: \.isEmpty) ? Conditions() : Conditions(of: Array(all.joined()), for: peer)
    }

    /// Returns the conditions for publishing to a topic: the policies of one of the routes that publish to it.
    ///
    /// Routes that ask a user or declare their input are excluded: they are for URLs only.
    func conditions(for request: Request, toPublishTo topic: String) -> Conditions {
        guard let entry = topics[topic] else { return Conditions(unknown: .unknownTopic(topic)) }
        var conditions = Conditions()
        for route in entry.routes {
            let stages = route.chain.stages
            guard stages.asyncPolicies.isEmpty, stages.input.isEmpty, !stages.policies.isEmpty else { continue }
            var request = request
            request.matchedRoute = route
            conditions.alternatives.append((request, stages.policies.map(\.stage)))
        }
        return conditions
    }
}

/// The conditions for a client without full access: it must satisfy all policies of one alternative.
struct Conditions {
    /// The requests to check with their policies; without alternatives no client is allowed.
    fileprivate(set) var alternatives: [(request: Request, policies: [Route.PolicyStage])] = []
    /// The error for an unknown name or topic; nil if it exists.
    fileprivate(set) var unknown: VarlinkError?

    fileprivate init(unknown: VarlinkError? = nil) {
        self.unknown = unknown
    }

    fileprivate init(of policies: [Route.PolicyStage], for peer: Peer) {
        if !policies.isEmpty { alternatives = [(Request(peer: peer, origin: .socket), policies)] }
    }
}
