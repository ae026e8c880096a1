/// The stages of a route as the walk meets them; routes that say the same share one.
package final class Chain: Sendable {
    /// Whether something here uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// How many of the policies are async.
    let asyncPolicyCount: Int
    /// What is taken out of requests before the middleware.
    package let secrets: [any SecretPolicy]
    /// The middleware as the walk calls it, with nothing to do in the place of async middleware.
    let middleware: ConstantList<any Middleware>
    /// Which of the middleware is async.
    let isAsync: [Bool]
    /// The policies as the walk calls them, with one that verifies in the place of those that look into the peer.
    let policies: ConstantList<any Policy>
    /// Which of the policies look into the peer; empty if none does.
    let isLooking: [Bool]
    /// The handler as the walk calls it, unless it is async.
    let handler: ConstantList<any Handler>
    /// What the handler answers, if that is always the same.
    let constantResponse: ConstantList<Response>
    /// What it is made of.
    package let stages: Route.Stages

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - stages: What it is made of.
    ///   - secrets: Those of the policies that have secrets; nil to look for them, which takes a load's time when it is
    ///     first done.
    package init(_ stages: Route.Stages, secrets: [any SecretPolicy]? = nil) {
        self.stages = stages
        usesParameters = stages.usesParameters
        declaresInput = !stages.input.isEmpty
        asyncPolicyCount = stages.asyncPolicies.count
        self.secrets = stages.hiddenSecrets + (secrets ?? stages.policies.compactMap(\.stage.secret))
        middleware = ConstantList(
            stages.middleware.map { if case .immediate(let stage) = $0.stage { stage } else { NoMiddleware() } })
        isAsync = stages.middleware.map { if case .asynchronous = $0.stage { true } else { false } }
        policies = ConstantList(
            stages.policies.map { if case .immediate(let stage) = $0.stage { stage } else { NoPolicy() } })
        let looking = stages.policies.map { if case .looking = $0.stage { true } else { false } }
        isLooking = looking.contains(true) ? looking : []
        var handlers: [any Handler] = []
        if case .immediate(let stage) = stages.handler.stage { handlers = [stage] }
        handler = ConstantList(handlers)
        constantResponse = ConstantList(handlers.compactMap(\.constantResponse))
    }
}

extension Route.PolicyStage {
    fileprivate var secret: (any SecretPolicy)? {
        if case .immediate(let policy) = self { policy as? any SecretPolicy } else { nil }
    }
}

// They do nothing, and keep the places of stages that the walk does not call itself.

private struct NoPolicy: Policy {
    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict { .verified }
}

private struct NoMiddleware: Middleware {
    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step { .proceed }
}
