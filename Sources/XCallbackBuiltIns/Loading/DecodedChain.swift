import XCallbackPipeline

/// A handler, as one route of the configuration or another names it.
final class DecodedHandler {
    /// What the configuration calls it.
    let name: String
    let stage: Route.HandlerStage
    /// Whether it is the same handler wherever the configuration says it.
    let isShared: Bool
    /// Its chains, each with the parts before it that are shared too; they are few.
    fileprivate var chains: [DecodedChain] = []

    init(_ name: String, _ stage: Route.HandlerStage, isShared: Bool) {
        self.name = name
        self.stage = stage
        self.isShared = isShared
    }
}

/// A chain and its parts.
struct DecodedChain {
    let middleware: StageList<Route.MiddlewareStage>
    let policies: StageList<PolicyStage>
    let chain: Chain

    /// Makes a chain, or finds it: routes that share all the parts and declare no input share the chain too.
    ///
    /// With thousands of routes this keeps the memory that each request touches small.
    init(
        _ middleware: StageList<Route.MiddlewareStage>, _ policies: StageList<PolicyStage>, _ handler: DecodedHandler,
        _ input: Input
    ) {
        let isShared = middleware.isShared && policies.isShared && handler.isShared && input.isEmpty
        let known = handler.chains.first { $0.middleware === middleware && $0.policies === policies }
        if isShared, let known {
            self = known
            return
        }
        self.middleware = middleware
        self.policies = policies
        chain = Self.chain(middleware, policies, handler, input)
        if isShared { handler.chains.append(self) }
    }

    private static func chain(
        _ middleware: StageList<Route.MiddlewareStage>, _ policies: StageList<PolicyStage>, _ handler: DecodedHandler,
        _ input: Input
    ) -> Chain {
        var secrets: [any SecretPolicy] = []
        var stages = Route.Stages(handler: handler.stage)
        stages.handlerName = handler.name
        stages.input = input
        stages.middleware = middleware.stages
        stages.middlewareNames = middleware.names
        for (name, policy) in zip(policies.names, policies.stages) {
            switch policy {
            case .immediate(let policy):
                stages.policies.append(policy)
                stages.policyNames.append(name)
            case .secret(let policy):
                stages.policies.append(policy)
                stages.policyNames.append(name)
                secrets.append(policy)
            case .asynchronous(let policy):
                stages.asyncPolicies.append(policy)
                stages.asyncPolicyNames.append(name)
            }
        }
        return Chain(stages, secrets: secrets)
    }
}
