import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

extension Route.Stages {
    /// Warns about programs that a web page can start, because it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: The place of the route's handler.
    ///   - faults: Receives the warnings.
    func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middleware.contains(where: \.facts.runsProgram) {
            faults.warn(
                "any web page can run this middleware without asking you, because policies come after it: remove "
                    + "'public: true'", at: place)
        }
        guard handler.facts.runsProgram, !isGuarded(from: .desktop) else { return }
        faults.warn(
            "any web page can run this program without asking you: add the policy 'confirm', or remove "
                + "'public: true'", at: place)
    }

    /// Whether an assistant can start a program or reach a receiver, and no policy checks more than the user.
    var runsUnguardedPrograms: Bool {
        let acts = if case .delivering = handler.stage { true } else { handler.facts.runsProgram }
        return acts && !isGuarded(from: .agent)
    }

    /// Whether a policy checks more than the user, because others can act in the user's name.
    ///
    /// - Parameter origin: The origin of others' requests.
    /// - Returns: Whether a policy does.
    private func isGuarded(from origin: Origin) -> Bool {
        policyFacts.contains { !$0.facts.checksOnlyUser && !$0.facts.ignoresOrigins.contains(origin.bit) }
    }

    /// Whether the middleware can add a parameter.
    func mayAdd(_ name: String) -> Bool {
        middleware.contains { $0.facts.runsProgram || $0.facts.addsParameters.contains(name) }
    }
}

extension Input {
    /// The parameters, except captures, that every request must have.
    var requiredNames: [String] {
        declarations.filter { $0.rule.isRequired && $0.rule.defaultTexts == nil }.map(\.name)
    }
}
