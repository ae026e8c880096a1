import XCallbackConfiguration
import XCallbackPipeline

extension Route.Stages {
    /// Warns of programs that a web page can have run, as it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: Where the handler of the route stands.
    ///   - faults: Where warnings are noted.
    func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middleware.contains(where: { $0.traits.contains(.runsProgram) }) {
            faults.warn(
                "a web page can run a program as middleware: the route is public, and no policy comes before its "
                    + "middleware", at: place)
        }
        guard handler.traits.contains(.runsProgram), !isGuarded(from: .desktop) else { return }
        faults.warn(
            "a web page can run this program: the route is public, and no policy before it checks more than the "
                + "user", at: place)
    }
}

extension Route.Stages {
    /// Whether a policy looks at more than the user, in whose name others can have something done.
    ///
    /// - Parameter origin: The way on which requests of others come in.
    /// - Returns: Whether one does.
    private func isGuarded(from origin: Origin) -> Bool {
        asyncPolicies.contains { ($0.stage as? any OriginGuard)?.guards(origin) ?? true }
            || policies.contains { !$0.traits.contains(.judgesOnlyUser) }
    }

    /// Whether an assistant can have a program or a receiver act, and no policy looks at more than the user.
    var runsUnguardedPrograms: Bool {
        let acts = if case .delivering = handler.stage { true } else { handler.traits.contains(.runsProgram) }
        return acts && !isGuarded(from: .agent)
    }
}

extension NamedStage<Route.PolicyStage> {
    /// Whether no request of an assistant passes it.
    var refusesAgents: Bool {
        switch stage {
        case .immediate(let policy as any AgentGate): policy.refusesAgents
        case .looking(let policy as any AgentGate): policy.refusesAgents
        case .immediate, .looking: false
        }
    }
}

/// A policy that may let no request of an assistant pass.
protocol AgentGate: Sendable {
    /// Whether it lets none pass.
    var refusesAgents: Bool { get }
}

/// A policy that may let all requests pass that come in on some ways.
protocol OriginGuard: Sendable {
    /// Whether it looks at requests that come in on a way.
    func guards(_ origin: Origin) -> Bool
}
