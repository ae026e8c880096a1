import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackVarlink

/// The names under which clients receive and the topics to which they subscribe, as the routes say.
struct ClientNames {
    private var names: [String: [Route.PolicyStage]] = [:]
    private var topics: [String: (policies: [Route.PolicyStage], routes: [Route])] = [:]

    /// Gathers them.
    init(_ routes: [Route]) {
        for route in routes {
            let stages = route.chain.stages
            guard let policies = stages.receivers else { continue }
            switch stages.handler.stage {
            case .delivering(let handler): names[handler.name] = policies
            case .immediate(let handler as any PublishingHandler):
                topics[handler.topic, default: (policies, [])].routes.append(route)
            default: break
            }
        }
    }

    /// What a client must satisfy to receive as a name.
    func conditions(for peer: Peer, toReceiveAs name: String) -> Conditions {
        guard let policies = names[name] else { return Conditions(unknown: .unknownName(name)) }
        return Conditions(of: policies, for: peer)
    }

    /// What a client must satisfy to subscribe to topics.
    func conditions(for peer: Peer, toSubscribeTo topics: [String]) -> Conditions {
        var all: [[Route.PolicyStage]] = []
        for topic in topics {
            guard let policies = self.topics[topic]?.policies else { return Conditions(unknown: .unknownTopic(topic)) }
            all.append(policies)
        }
        return all.contains(where: \.isEmpty) ? Conditions() : Conditions(of: Array(all.joined()), for: peer)
    }

    /// What a request must satisfy to be published to a topic: the policies of one of the routes that publish to it.
    ///
    /// A route that asks somebody, or declares its input, is for URLs only.
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

/// What somebody must satisfy who may not do everything: all policies of one of the alternatives.
struct Conditions {
    /// What is judged, and the policies; nobody is allowed without any.
    fileprivate(set) var alternatives: [(request: Request, policies: [Route.PolicyStage])] = []
    /// Says that there is no such name or topic; nil if there is.
    fileprivate(set) var unknown: VarlinkError?

    fileprivate init(unknown: VarlinkError? = nil) {
        self.unknown = unknown
    }

    fileprivate init(of policies: [Route.PolicyStage], for peer: Peer) {
        if !policies.isEmpty { alternatives = [(Request(peer: peer, origin: .socket), policies)] }
    }
}

extension RequestService {
    /// Calls a function with why a peer may not do something, as soon as that is known: at once, unless somebody has to
    /// look into its process.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - loop: The loop that calls.
    ///   - conditions: What it must satisfy; asked again if the configuration is replaced meanwhile.
    ///   - done: Is given the error; nil if the peer satisfies the conditions, or may do everything.
    func check(
        _ peer: Peer, on loop: isolated EventLoop, _ conditions: @escaping (ClientNames) -> Conditions,
        done: @escaping (VarlinkError?) -> Void
    ) {
        let first = conditions(clientNames)
        if first.unknown != nil || mayAll(peer) { return done(first.unknown) }
        // Before the task, which may begin later than this.
        let firstNumber = configurationNumber
        Task.immediate(executorPreference: loop.executor) {
            var number = firstNumber
            var error = await refusal(by: first, on: loop)
            while number != configurationNumber {
                number = configurationNumber
                error = await refusal(by: conditions(clientNames), on: loop)
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
        // What looks into the peer comes first, as others note what they have let pass.
        for case .looking(let policy) in alternative.policies {
            guard await policy.verify(alternative.request, answerer.state.peers) == .verified else { return false }
        }
        return alternative.policies.allSatisfy { policy in
            guard case .immediate(let policy) = policy else { return true }
            return policy.verify(alternative.request, &answerer.state) == .verified
        }
    }

    /// Ends what clients receive or subscribe to, but may not any more.
    func endRefusedStreams(on loop: isolated EventLoop) {
        for stream in streams.values {
            guard let name = stream.name else { continue }
            check(stream.peer, on: loop) {
                $0.conditions(for: stream.peer, toReceiveAs: name)
            } done: { [self] error in
                receivers.retire(stream, with: error, on: loop)
            }
        }
        for (stream, topics) in subscriptions.all {
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

    /// The configuration has no such topic.
    fileprivate static func unknownTopic(_ topic: String) -> Self {
        Self("\(RouterInterface.name).UnknownTopic", [.init("topic", .string(topic))])
    }
}
