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
    func conditions(for peer: Peer, toSubscribeTo topics: [String]) -> Conditions {
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

extension RequestService {
    /// Determines whether a peer is allowed to do something: at once, unless a policy must inspect the peer's process.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - loop: The loop of the caller.
    ///   - conditions: Returns the conditions; called again if the configuration is replaced in the meantime.
    ///   - done: Receives the error; nil if the peer satisfies the conditions or has full access.
    func check(
        _ peer: Peer, on loop: isolated EventLoop, _ conditions: @escaping (ClientNames) -> Conditions,
        done: @escaping (VarlinkError?) -> Void
    ) {
        let first = conditions(served.names)
        if first.unknown != nil || mayAll(peer) { return done(first.unknown) }
        // Before the task, which may start later.
        let firstNumber = served.number
        Task.immediate(executorPreference: loop.executor) {
            var number = firstNumber
            var error = await refusal(by: first, on: loop)
            while number != served.number {
                number = served.number
                error = await refusal(by: conditions(served.names), on: loop)
            }
            done(error)
        }
    }

    private func refusal(by conditions: Conditions, on loop: isolated EventLoop) async -> VarlinkError? {
        for alternative in conditions.alternatives where await satisfies(alternative, on: loop) { return nil }
        return conditions.unknown ?? .permissionDenied
    }

    private func satisfies(
        _ alternative: (request: Request, policies: [Route.PolicyStage]), on loop: isolated EventLoop
    ) async -> Bool {
        // Policies that inspect the peer come first, because others record the requests that they allow.
        for case .asynchronous(let policy) in alternative.policies {
            guard await policy.verify(alternative.request, answerer.state.peers) == nil else { return false }
        }
        return alternative.policies.allSatisfy { policy in
            guard case .immediate(let policy) = policy else { return true }
            return policy.verify(alternative.request, &answerer.state) == .verified
        }
    }

    /// Ends receiving and subscriptions that are no longer allowed.
    func endRefusedStreams(on loop: isolated EventLoop) {
        for stream in streams.all.values {
            guard let name = stream.name else { continue }
            check(stream.peer, on: loop) {
                $0.conditions(for: stream.peer, toReceiveAs: name)
            } done: { [self] error in
                streams.receivers.retire(stream, with: error, on: loop)
            }
        }
        for (stream, topics) in streams.subscriptions.all {
            check(stream.peer, on: loop) {
                $0.conditions(for: stream.peer, toSubscribeTo: Array(topics))
            } done: { error in
                if let error { stream.end(with: error) }
            }
        }
    }
}

extension VarlinkError {
    /// The configuration has no route that delivers to a name.
    static func unknownName(_ name: String) -> Self {
        Self("\(RouterInterface.name).UnknownName", [.init("name", .string(name))])
    }

    /// The configuration has no route that publishes to a topic.
    fileprivate static func unknownTopic(_ topic: String) -> Self {
        Self("\(RouterInterface.name).UnknownTopic", [.init("topic", .string(topic))])
    }
}
