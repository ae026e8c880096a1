import XCallbackURL

/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// A stage at its place in the chain.
    enum Element: Sendable {
        case middleware(Shared<any Middleware>)
        case policy(Shared<any ImmediatePolicy>)
        /// The declared parameters are decoded.
        case input
        case handler(Shared<any Handler>)
        /// The response of a handler that answers all requests alike.
        case response(Shared<Response>)
        case asyncMiddleware(Shared<any HostedMiddleware>)
        case asyncPolicy(Shared<any AsyncPolicy>)
        case asyncHandler(Shared<any HostedHandler>)
        case delivery(Shared<any DeliveringHandler>)
    }

    /// A stage in an object: each request takes the stages from the chain, and copying values of any type costs more.
    final class Shared<Stage: Sendable>: Sendable {
        let value: Stage

        init(_ value: Stage) {
            self.value = value
        }
    }

    /// The stages.
    package let stages: Route.Stages
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// The secrets to remove from requests before the middleware.
    package let secrets: [Secret]
    /// Whether a request has a value that no history and no log may have.
    let hasSecrets: Bool
    /// Whether an answer can have one.
    package let hasSecretItems: Bool
    /// Whether the history keeps its requests.
    package let isRecorded: Bool
    /// The stages in the order of a request: middleware first, and the handler last.
    let elements: [Element]
    /// The number of middleware stages.
    let middlewareCount: Int

    /// Creates a chain.
    package init(_ stages: Route.Stages) {
        self.stages = stages
        declaresInput = !stages.input.isEmpty
        usesParameters =
            declaresInput || stages.settings.notice != nil || stages.handler.facts.usesParameters
            || stages.middleware.contains(where: \.facts.usesParameters)
            || stages.policyFacts.contains(where: \.facts.usesParameters)
        secrets = stages.hiddenSecrets + stages.policies.compactMap(\.facts.secret)
        hasSecrets = !secrets.isEmpty || stages.input.declarations.contains(where: \.rule.isSecret)
        hasSecretItems = !stages.settings.secretItems.isEmpty
        isRecorded = stages.settings.isRecorded
        elements =
            stages.middleware.map { Element($0.stage) } + stages.policies.map { Element($0.stage) }
            + (declaresInput ? [stages.waitingInput.map { .asyncMiddleware(.init($0)) } ?? .input] : [])
            + stages.asyncPolicies.map { .asyncPolicy(.init($0.stage)) }
            + [Element(stages.handler)]
        middlewareCount = stages.middleware.count
    }
}

extension Chain.Element {
    init(_ stage: Route.MiddlewareStage) {
        switch stage {
        case .immediate(let stage): self = .middleware(.init(stage))
        case .asynchronous(let stage): self = .asyncMiddleware(.init(stage))
        }
    }

    init(_ stage: Route.PolicyStage) {
        switch stage {
        case .immediate(let stage): self = .policy(.init(stage))
        case .asynchronous(let stage): self = .asyncPolicy(.init(stage))
        }
    }

    init(_ handler: NamedStage<Route.HandlerStage>) {
        switch handler.stage {
        case .immediate(let stage):
            self = handler.facts.constantResponse.map { .response(.init($0)) } ?? .handler(.init(stage))
        case .asynchronous(let stage): self = .asyncHandler(.init(stage))
        case .delivering(let stage): self = .delivery(.init(stage))
        }
    }
}
