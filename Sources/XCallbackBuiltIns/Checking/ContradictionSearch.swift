import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Finds stages of a route that no request can satisfy together.
struct ContradictionSearch {
    private let chain: DecodedChain
    private let route: StageSource.RouteFacts
    private let placeholders: [(name: String, place: Place)]
    private let place: Place
    private let faults: FaultList

    /// Creates a search in the chain of a route.
    ///
    /// - Parameters:
    ///   - chain: The chain.
    ///   - route: The route.
    ///   - placeholders: The parameters in templates of the route.
    ///   - place: The place of the route.
    ///   - faults: Receives the warnings.
    init(
        in chain: DecodedChain, of route: StageSource.RouteFacts, placeholders: [(name: String, place: Place)],
        at place: Place, _ faults: FaultList
    ) {
        self.chain = chain
        self.route = route
        self.placeholders = placeholders
        self.place = place
        self.faults = faults
    }

    /// The claims of the policies, with the policies' names.
    private var policies: [(name: String, claim: StageClaim)] { chain.policies.claims }

    /// The claims of the middleware, with the middleware's names.
    private var middleware: [(name: String, claim: StageClaim)] { chain.middleware.claims }

    /// Warns about every contradiction.
    func warn() {
        if !policies.isEmpty {
            warnOfPolicies()
            warnOfSecrets()
        }
        if !middleware.isEmpty { warnOfMiddleware() }
    }

    private func warnOfPolicies() {
        // A single policy contradicts nothing, unless it restricts origins.
        if policies.count == 1, case .values? = policies.first?.claim { return }
        var accepted: [(name: String, values: Set<String>)] = []
        var origins: Set<String>?
        for (name, claim) in policies {
            let policy: any ValuePolicy
            switch claim {
            case .values(let other), .origins(let other): policy = other
            case .demand, .secret, .change: continue
            }
            var values = policy.acceptedValues
            if let index = accepted.firstIndex(where: { $0.name == name }) {
                values = accepted[index].values.intersection(values)
                if values.isEmpty, !accepted[index].values.isEmpty {
                    faults.warn(
                        "no request passes all the policies \(name.quoted) of this route, because those of the file and of its "
                            + "groups count too: leave one out", at: place)
                }
                accepted[index].values = values
            } else {
                accepted.append((name, values))
            }
            if case .origins = claim { origins = values }
        }
        guard let origins, !origins.isEmpty else { return }
        let desktop = Origin.desktop.rawValue
        if !route.isPublic, origins == [desktop] {
            faults.warn(
                "no request reaches this route: a policy lets only requests of the desktop pass, and those reach public routes "
                    + "only: write 'public: true', or leave the policy out", at: place)
        } else if route.isPublic, !origins.contains(desktop) {
            faults.warn(
                "'public: true' has no effect because a policy lets no requests of the desktop pass: leave it out, or add "
                    + "'desktop' to the policy", at: place)
        }
    }

    private func warnOfSecrets() {
        let secrets = chain.chain.secrets
        if secrets.isEmpty || changesAreUnknown { return }
        for secret in secrets where !addedNames.contains(secret.parameterName) {
            let name = secret.parameterName
            if demandedNames.contains(name) {
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

    private func warnOfMiddleware() {
        if changesAreUnknown { return }
        let declared = route.input.requiredNames.filter { name in
            !route.pattern.captures.contains { $0.name == name }
        }
        for name in declared + demandedNames.filter({ !declared.contains($0) }) {
            var advice: (middleware: String, text: String)?
            for (middleware, claim) in middleware {
                guard case .change(let change) = claim else { continue }
                if let text = change.advice(keeping: name) { advice = (middleware, text) }
                if change.addedNames.contains(name) { advice = nil }
            }
            guard let advice else { continue }
            faults.warn(
                "\(name.quoted) is required, but removed by \(advice.middleware.quoted): \(advice.text)", at: place)
        }
    }

    private var demandedNames: [String] {
        policies.flatMap { policy -> [String] in
            if case .demand(let demand) = policy.claim { demand.demandedNames } else { [] }
        }
    }

    private var addedNames: [String] {
        middleware.flatMap { stage -> [String] in
            if case .change(let change) = stage.claim { change.addedNames } else { [] }
        }
    }

    /// Whether a program can change the parameters.
    private var changesAreUnknown: Bool { chain.middleware.stages.contains { $0.traits.contains(.runsProgram) } }
}

extension Route.Stages {
    /// Whether the middleware can add a parameter.
    func mayAdd(_ name: String) -> Bool {
        middleware.contains { $0.traits.contains(.runsProgram) || $0.change?.addedNames.contains(name) == true }
    }
}

extension Input {
    /// The parameters, except captures, that every request must have.
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
