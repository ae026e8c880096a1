import XCallbackConfiguration
import XCallbackPipeline

extension Route.Stages {
    /// Warns about programs that a web page can start, because it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: The place of the route's handler.
    ///   - faults: Receives the warnings.
    func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middleware.contains(where: { $0.traits.contains(.runsProgram) }) {
            faults.warn(
                "any web page can run this middleware without asking you, because policies come after it: remove "
                    + "'public: true'", at: place)
        }
        guard handler.traits.contains(.runsProgram), !isGuarded(from: .desktop) else { return }
        faults.warn(
            "any web page can run this program without asking you: add the policy 'confirm', or remove "
                + "'public: true'", at: place)
    }
}

extension Route.Stages {
    /// Whether a policy checks more than the user, because others can act in the user's name.
    ///
    /// - Parameter origin: The origin of others' requests.
    /// - Returns: Whether a policy does.
    private func isGuarded(from origin: Origin) -> Bool {
        asyncPolicies.contains { ($0.stage as? any OriginGuard)?.guards(origin) ?? true }
            || policies.contains { !$0.traits.contains(.judgesOnlyUser) }
    }

    /// Whether an assistant can start a program or reach a receiver, and no policy checks more than the user.
    var runsUnguardedPrograms: Bool {
        let acts = if case .delivering = handler.stage { true } else { handler.traits.contains(.runsProgram) }
        return acts && !isGuarded(from: .agent)
    }
}

extension NamedStage<Route.PolicyStage> {
    /// Whether the policy rejects all requests from assistants.
    var refusesAgents: Bool {
        switch stage {
        case .immediate(let policy as any AgentGate): policy.refusesAgents
        case .looking(let policy as any AgentGate): policy.refusesAgents
        case .immediate, .looking: false
        }
    }
}

/// A policy that can reject all requests from assistants.
protocol AgentGate: Sendable {
    /// Whether the policy rejects all of them.
    var refusesAgents: Bool { get }
}

/// A policy that can accept all requests from some origins.
protocol OriginGuard: Sendable {
    /// Whether the policy checks requests from an origin.
    func guards(_ origin: Origin) -> Bool
}
