/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// The stages.
    package let stages: Route.Stages
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// The secrets to remove from requests before the middleware.
    package let secrets: [Secret]
    /// The middleware and the policies for the execution, with stages that do nothing in place of async ones.
    let middleware: ConstantList<any Middleware>
    let policies: ConstantList<any Policy>
    /// Whether each of them is async.
    let isAsyncMiddleware: [Bool]
    let isAsyncPolicy: [Bool]
    let asyncPolicyCount: Int
    /// The handler for the execution, unless it is async.
    let handler: ConstantList<any Handler>
    /// The handler's response, if it is the same for all requests.
    let constantResponse: ConstantList<Response>

    /// Creates a chain.
    package init(_ stages: Route.Stages) {
        self.stages = stages
        declaresInput = !stages.input.isEmpty
        usesParameters =
            declaresInput || stages.notice != nil || stages.handler.facts.usesParameters
            || stages.middleware.contains(where: \.facts.usesParameters)
            || stages.policyFacts.contains(where: \.facts.usesParameters)
        secrets = stages.hiddenSecrets + stages.policies.compactMap(\.facts.secret)
        middleware = ConstantList(
            stages.middleware.map { if case .immediate(let stage) = $0.stage { stage } else { NoMiddleware() } })
        policies = ConstantList(
            stages.policies.map { if case .immediate(let stage) = $0.stage { stage } else { NoPolicy() } })
        isAsyncMiddleware = stages.middleware.map { if case .asynchronous = $0.stage { true } else { false } }
        isAsyncPolicy = stages.policies.map { if case .asynchronous = $0.stage { true } else { false } }
        asyncPolicyCount = stages.asyncPolicies.count
        var handlers: [any Handler] = []
        if case .immediate(let stage) = stages.handler.stage { handlers = [stage] }
        handler = ConstantList(handlers)
        constantResponse = ConstantList(stages.handler.facts.constantResponse.map { [$0] } ?? [])
    }
}

// These stages do nothing, and keep the positions of stages that the execution does not call itself.

private struct NoPolicy: Policy {
    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult { .verified }
}

private struct NoMiddleware: Middleware {
    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult { .proceed }
}
