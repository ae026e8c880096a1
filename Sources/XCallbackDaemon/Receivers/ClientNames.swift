import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

/// The names as which clients can receive and the topics to which they can subscribe, according to the routes.
struct ClientNames {
    private var names: [String: [Route.PolicyStage]] = [:]
    private var topics: [String: (policies: [Route.PolicyStage], routes: [Route])] = [:]
    /// The files that are not served, which may have any other name.
    private let unserved: UnservedDropIns?

    /// Collects the names and topics of a configuration.
    init(_ configuration: RouterConfiguration) {
        unserved = configuration.unserved
        for route in configuration.pipeline.routes {
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
    func conditions(for peer: Peer, toReceiveAs name: String) throws(VarlinkError) -> Conditions {
        guard let policies = names[name] else { throw absence ?? .unknownName(name) }
        return Self.conditions(of: policies, for: peer)
    }

    /// Returns the conditions under which a client may subscribe to topics.
    func conditions(for peer: Peer, toSubscribeTo topics: Set<String>) throws(VarlinkError) -> Conditions {
        var all: [[Route.PolicyStage]] = []
        for topic in topics {
            guard let policies = self.topics[topic]?.policies else { throw absence ?? .unknownTopic(topic) }
            all.append(policies)
        }
        return all.contains(where: \.isEmpty) ? [] : Self.conditions(of: Array(all.joined()), for: peer)
    }

    /// Returns the conditions for publishing to a topic: the policies of one of the routes that publish to it.
    ///
    /// Routes that ask a user or declare their input are excluded: they are for URLs only.
    func conditions(for request: Request, toPublishTo topic: String) throws(VarlinkError) -> Conditions {
        guard let entry = topics[topic] else { throw absence ?? .unknownTopic(topic) }
        return entry.routes.compactMap { route in
            let stages = route.chain.stages
            guard stages.asyncPolicies.isEmpty, stages.input.isEmpty, !stages.policies.isEmpty else { return nil }
            var request = request
            request.matchedRoute = route
            return (request, stages.policies.map(\.stage))
        }
    }

    /// The reason why a name may be missing, other than that no route has it.
    private var absence: VarlinkError? { unserved.map { .unavailable(because: $0.error) } }

    private static func conditions(of policies: [Route.PolicyStage], for peer: Peer) -> Conditions {
        policies.isEmpty ? [] : [(Request(peer: peer, origin: .socket), policies)]
    }
}

/// Requests to check with their policies: a client without full access must satisfy all policies of one of them.
typealias Conditions = [(request: Request, policies: [Route.PolicyStage])]
