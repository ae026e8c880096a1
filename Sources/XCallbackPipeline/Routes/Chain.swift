/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// A stage at its place in the chain.
    enum Element: Sendable {
        case middleware(any Middleware)
        case policy(any Policy)
        /// The declared parameters are decoded.
        case input
        case handler(any Handler)
        /// The response of a handler that answers all requests alike.
        case response(Response)
        case asyncMiddleware(any HostedMiddleware)
        case asyncPolicy(any AsyncPolicy)
        case asyncHandler(any HostedHandler)
        case delivery(any DeliveringHandler)
    }

    /// The stages.
    package let stages: Route.Stages
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// The secrets to remove from requests before the middleware.
    package let secrets: [Secret]
    /// The stages in the order of a request: middleware first, and the handler last.
    let elements: [Element]
    /// The number of middleware stages.
    let middlewareCount: Int

    /// Creates a chain.
    package init(_ stages: Route.Stages) {
        self.stages = stages
        declaresInput = !stages.input.isEmpty
        usesParameters =
            declaresInput || stages.notice != nil || stages.handler.facts.usesParameters
            || stages.middleware.contains(where: \.facts.usesParameters)
            || stages.policyFacts.contains(where: \.facts.usesParameters)
        secrets = stages.hiddenSecrets + stages.policies.compactMap(\.facts.secret)
        elements =
            stages.middleware.map { Element($0.stage) } + stages.policies.map { Element($0.stage) }
            + (declaresInput ? [.input] : []) + stages.asyncPolicies.map { .asyncPolicy($0.stage) }
            + [Element(stages.handler)]
        middlewareCount = stages.middleware.count
    }
}

extension Chain.Element {
    init(_ stage: Route.MiddlewareStage) {
        switch stage {
        case .immediate(let stage): self = .middleware(stage)
        case .asynchronous(let stage): self = .asyncMiddleware(stage)
        }
    }

    init(_ stage: Route.PolicyStage) {
        switch stage {
        case .immediate(let stage): self = .policy(stage)
        case .asynchronous(let stage): self = .asyncPolicy(stage)
        }
    }

    init(_ handler: NamedStage<Route.HandlerStage>) {
        switch handler.stage {
        case .immediate(let stage): self = handler.facts.constantResponse.map { .response($0) } ?? .handler(stage)
        case .asynchronous(let stage): self = .asyncHandler(stage)
        case .delivering(let stage): self = .delivery(stage)
        }
    }
}
