import XCallbackPipeline

/// A handler as written in the configuration, possibly for several routes.
final class DecodedHandler {
    let stage: NamedStage<Route.HandlerStage>
    /// The policies for receivers of the handler's requests or events; nil if the handler sends none to clients.
    let receivers: [Route.PolicyStage]?
    /// Whether equal text elsewhere in the configuration decodes to the same handler.
    let isShared: Bool
    /// The few chains of the handler, each with the preceding parts, which are shared too.
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

    /// Creates a chain, or finds it: routes that share all parts, and declare neither an input nor a notice, also share the
    /// chain.
    ///
    /// With thousands of routes, this keeps the memory that each request touches small.
    init(
        _ middleware: StageList<Route.MiddlewareStage>, _ policies: StageList<PolicyStage>, _ handler: DecodedHandler,
        _ input: Input, notice: (@Sendable (Request) -> String?)? = nil
    ) {
        let isOwn = !input.isEmpty || notice != nil
        let isShared = middleware.isShared && policies.isShared && handler.isShared && !isOwn
        let known = handler.chains.first { $0.middleware === middleware && $0.policies === policies }
        if isShared, let known {
            self = known
            return
        }
        self.middleware = middleware
        self.policies = policies
        chain = Self.chain(middleware, policies, handler, input, notice)
        if isShared { handler.chains.append(self) }
    }

    private static func chain(
        _ middleware: StageList<Route.MiddlewareStage>, _ policies: StageList<PolicyStage>, _ handler: DecodedHandler,
        _ input: Input, _ notice: (@Sendable (Request) -> String?)?
    ) -> Chain {
        var secrets: [any SecretPolicy] = []
        var stages = Route.Stages(handler: handler.stage)
        stages.receivers = handler.receivers
        stages.input = input
        stages.notice = notice
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
