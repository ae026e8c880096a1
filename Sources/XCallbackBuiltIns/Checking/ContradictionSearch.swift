import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// A policy that lets those requests pass that have one of some values, where a request has one value only.
protocol ValuePolicy: Sendable {
    /// The values.
    var acceptedValues: Set<String> { get }
}

/// A policy on the ways on which requests come.
protocol OriginValuePolicy: ValuePolicy {}

/// A policy that demands parameters.
protocol ParameterDemand: Sendable {
    /// The names of the parameters.
    var demandedNames: [String] { get }
}

/// Middleware that adds parameters, or takes them away.
protocol ParameterChange: Sendable {
    /// The names under which there may be parameters afterwards.
    var addedNames: [String] { get }
    /// What to do so that a parameter stays; nil if it is not taken away.
    func advice(keeping name: String) -> String?
}

/// Finds stages of a route that no request can satisfy all.
struct ContradictionSearch {
    let stages: Route.Stages
    let captureNames: [String]
    let isPublic: Bool
    /// The parameters in templates of the route.
    let placeholders: [(name: String, place: Place)]
    let place: Place
    let faults: FaultList

    /// Warns of all that is found.
    func warn() {
        if !stages.policies.isEmpty {
            warnOfPolicies()
            warnOfSecrets()
        }
        if !stages.middleware.isEmpty { warnOfMiddleware() }
    }

    private var policies: [(name: String, policy: any Sendable)] {
        stages.policies.map { named in
            switch named.stage {
            case .immediate(let policy): (named.name, policy)
            case .looking(let policy): (named.name, policy)
            }
        }
    }

    private func warnOfPolicies() {
        var accepted: [String: Set<String>] = [:]
        var origins: Set<String>?
        for (name, policy) in policies {
            guard let policy = policy as? any ValuePolicy else { continue }
            let values = accepted[name].map { $0.intersection(policy.acceptedValues) } ?? policy.acceptedValues
            if values.isEmpty, accepted[name]?.isEmpty == false {
                faults.warn(
                    "no request passes all the policies \(name.quoted) of this route, as those of the file and of its groups "
                        + "count too: leave one out", at: place)
            }
            accepted[name] = values
            if policy is any OriginValuePolicy { origins = values }
        }
        guard let origins, !origins.isEmpty else { return }
        let desktop = Origin.desktop.rawValue
        if !isPublic, origins == [desktop] {
            faults.warn(
                "no request reaches this route: a policy lets only requests of the desktop pass, and those reach public routes "
                    + "only: write 'public: true', or leave the policy out", at: place)
        } else if isPublic, !origins.contains(desktop) {
            faults.warn(
                "'public: true' has no effect, as a policy lets no requests of the desktop pass: leave it out, or add "
                    + "'desktop' to the policy", at: place)
        }
    }

    private func warnOfSecrets() {
        let secrets = policies.compactMap { $0.policy as? any SecretPolicy }
        if secrets.isEmpty || changesAreUnknown { return }
        for secret in secrets where !addedNames.contains(secret.parameterName) {
            let name = secret.parameterName
            if demandedNames.contains(name) {
                faults.warn(
                    "\(name.quoted) is required by a policy, and taken out of the request before, as it is a secret: leave it "
                        + "out of 'require'", at: place)
            }
            for placeholder in placeholders where placeholder.name == name {
                faults.warn(
                    "'{\(name)}' is always empty, as the secret is taken out of the request: leave it out",
                    at: placeholder.place)
            }
        }
    }

    private func warnOfMiddleware() {
        if changesAreUnknown { return }
        let declared = stages.input.requiredNames.filter { !captureNames.contains($0) }
        for name in declared + demandedNames.filter({ !declared.contains($0) }) {
            var advice: (middleware: String, text: String)?
            for named in stages.middleware {
                guard let change = named.change else { continue }
                if let text = change.advice(keeping: name) { advice = (named.name, text) }
                if change.addedNames.contains(name) { advice = nil }
            }
            guard let advice else { continue }
            faults.warn(
                "\(name.quoted) is required, and taken away by \(advice.middleware.quoted): \(advice.text)", at: place)
        }
    }

    private var demandedNames: [String] {
        policies.flatMap { ($0.policy as? any ParameterDemand)?.demandedNames ?? [] }
    }

    private var addedNames: [String] { stages.middleware.flatMap { $0.change?.addedNames ?? [] } }

    /// Whether a program may change the parameters.
    private var changesAreUnknown: Bool { stages.middleware.contains { $0.traits.contains(.runsProgram) } }
}

extension Route.Stages {
    /// Warns of stages that no request can satisfy all.
    func warnOfContradictions(
        _ route: StageSource.RouteFacts, _ surroundings: StageSource.Surroundings, at place: Place
    ) {
        ContradictionSearch(
            stages: self, captureNames: route.pattern.captures.map(\.name), isPublic: route.isPublic,
            placeholders: surroundings.placeholders, place: place, faults: surroundings.faults
        ).warn()
    }

    /// Whether a parameter may come from the middleware.
    func mayAdd(_ name: String) -> Bool {
        middleware.contains { $0.traits.contains(.runsProgram) || $0.change?.addedNames.contains(name) == true }
    }
}

extension Input {
    /// The parameters without which every request is faulty, unless they are captures.
    var requiredNames: [String] {
        declarations.filter { $0.rule.isRequired && $0.rule.defaultTexts == nil }.map(\.name)
    }
}

extension NamedStage<Route.MiddlewareStage> {
    fileprivate var change: (any ParameterChange)? {
        switch stage {
        case .immediate(let middleware): middleware as? any ParameterChange
        default: nil
        }
    }
}
