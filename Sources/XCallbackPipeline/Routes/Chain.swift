/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// The number of async policies.
    let asyncPolicyCount: Int
    /// The secrets to remove from requests before the middleware.
    package let secrets: [any SecretPolicy]
    /// The middleware for the execution, with no-op stages in place of async middleware.
    let middleware: ConstantList<any Middleware>
    /// Whether each middleware is async.
    let isAsync: [Bool]
    /// The policies for the execution, with always-verifying policies in place of those that inspect the peer.
    let policies: ConstantList<any Policy>
    /// Whether each policy inspects the peer; empty if none does.
    let isLooking: [Bool]
    /// The handler for the execution, unless it is async.
    let handler: ConstantList<any Handler>
    /// The handler's answer, if it is constant.
    let constantResponse: ConstantList<Response>
    /// The stages of the chain.
    package let stages: Route.Stages

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - stages: The stages of the chain.
    ///   - secrets: The policies that have secrets; nil to search for them, which is slow on first use.
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

// These stages do nothing, and keep the positions of stages that the execution does not call itself.

private struct NoPolicy: Policy {
    func verify(_ request: Request, _ state: inout PipelineState) -> PolicyResult { .verified }
}

private struct NoMiddleware: Middleware {
    func receive(_ request: inout Request, _ state: inout PipelineState) -> MiddlewareResult { .proceed }
}
