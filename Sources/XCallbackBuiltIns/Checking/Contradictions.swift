import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Finds stages of a route that no request can satisfy together.
struct Contradictions {
    private let stages: Route.Stages
    private let captures: [CaptureName]
    private let reach: OriginSet
    private let place: Place
    private let faults: FaultList
    private let policies: [(name: String, facts: StageFacts)]

    /// Creates a search among the stages of a route that some origins reach.
    init(
        of stages: Route.Stages, with captures: [CaptureName], reachedFrom reach: OriginSet, at place: Place,
        _ faults: FaultList
    ) {
        self.stages = stages
        self.captures = captures
        self.reach = reach
        self.place = place
        self.faults = faults
        policies = stages.policyFacts
    }

    /// Warns about every contradiction.
    ///
    /// - Parameter placeholders: The parameters in templates of the route.
    func warn(of placeholders: [(name: String, place: Place)]) {
        if policies.count > 1 { warnOfValues() }
        warnOfOrigins()
        // A program can change the parameters.
        if stages.middleware.contains(where: \.facts.runsProgram) { return }
        warnOfSecrets(placeholders)
        if !stages.middleware.isEmpty { warnOfRemovedParameters() }
    }

    private func warnOfValues() {
        var accepted: [String: Set<String>] = [:]
        for (name, facts) in policies {
            guard let values = facts.acceptsValues else { continue }
            let common = accepted[name].map { $0.intersection(values) } ?? values
            if common.isEmpty, accepted[name]?.isEmpty == false {
                faults.warn(
                    "no request passes all the policies \(name.quoted) of this route, because those of the file and of its "
                        + "groups count too: leave one out", at: place)
            }
            accepted[name] = common
        }
    }

    private func warnOfOrigins() {
        let restricting = policies.filter { $0.facts.acceptsOrigins != .all }
        guard let first = restricting.first else { return }
        let accepted = restricting.reduce(OriginSet.all) { $0.intersection($1.facts.acceptsOrigins) }
        if accepted.isEmpty {
            let names = restricting.map(\.name.quoted).joined(separator: " and ")
            faults.warn("no origin passes all of \(names): leave one out", at: place)
        } else if accepted.isDisjoint(with: reach) {
            let (origin, key) =
                accepted.contains(Origin.desktop.bit) ? ("the desktop", "public") : ("assistants", "agent")
            faults.warn(
                "no request reaches this route: the policy \(first.name.quoted) accepts only requests from \(origin): "
                    + "write '\(key): true', or leave the policy out", at: place)
        } else if reach.contains(Origin.desktop.bit), !accepted.contains(Origin.desktop.bit) {
            faults.warn(
                "'public: true' has no effect because the policy \(first.name.quoted) rejects requests from the desktop: "
                    + "leave one of them out", at: place)
        }
    }

    private func warnOfSecrets(_ placeholders: [(name: String, place: Place)]) {
        let added = stages.middleware.flatMap(\.facts.addsParameters)
        for name in policies.compactMap(\.facts.secret?.parameterName) where !added.contains(name) {
            if policies.contains(where: { $0.facts.needsParameters.contains(name) }) {
                faults.warn(
                    "\(name.quoted) is required by a policy, but removed from the request before, because it is a secret: leave it "
                        + "out of 'require'", at: place)
            }
            for placeholder in placeholders where placeholder.name == name {
                faults.warn(
                    "'{\(name)}' is always empty because the secret is removed from the request: leave it out",
                    at: placeholder.place)
            }
        }
    }

    private func warnOfRemovedParameters() {
        let declared = stages.input.requiredNames.filter { captures.first(named: $0) == nil }
        let others = policies.flatMap(\.facts.needsParameters).filter { !declared.contains($0) }
        for name in declared + others {
            var advice: String?
            for stage in stages.middleware {
                if let text = stage.facts.adviceOnKeeping?(name) { advice = "\(stage.name.quoted): \(text)" }
                if stage.facts.addsParameters.contains(name) { advice = nil }
            }
            if let advice { faults.warn("\(name.quoted) is required, but removed by \(advice)", at: place) }
        }
    }
}
