import XCallbackPipeline

/// A handler, as one route of the configuration or another names it.
final class DecodedHandler {
    let stage: NamedStage<Route.HandlerStage>
    /// What other clients must satisfy to receive what it gives to clients; nil if it gives them nothing.
    let receivers: [Route.PolicyStage]?
    /// Whether it is the same handler wherever the configuration says it.
    let isShared: Bool
    /// Its chains, each with the parts before it that are shared too; they are few.
    fileprivate var chains: [DecodedChain] = []

    init(_ stage: NamedStage<Route.HandlerStage>, receivers: [Route.PolicyStage]? = nil, isShared: Bool) {
        self.stage = stage
        self.receivers = receivers
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
        stages.receivers = handler.receivers
        stages.input = input
        stages.middleware = middleware.stages
        for policy in policies.stages {
            switch policy.stage {
            case .immediate(let stage): stages.policies.append(policy.with(.immediate(stage)))
            case .looking(let stage): stages.policies.append(policy.with(.looking(stage)))
            case .secret(let stage):
                stages.policies.append(policy.with(.immediate(stage)))
                secrets.append(stage)
            case .asynchronous(let stage): stages.asyncPolicies.append(policy.with(stage))
            }
        }
        return Chain(stages, secrets: secrets)
    }
}
