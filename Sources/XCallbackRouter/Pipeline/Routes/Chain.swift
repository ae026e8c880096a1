import XCallbackURL

/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// A stage at its place in the chain; it cannot be copied, because each request would count the copies.
    enum Element: ~Copyable, Sendable {
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

    /// A stage in an object: the code of a request would copy a value of any type, with all that it refers to.
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
    ///
    /// It is memory of its own, because an array holds only what can be copied. Nothing changes it between `init` and `deinit`,
    /// and the stages in it are `Sendable`, so any thread may read it.
    nonisolated(unsafe) let elements: UnsafeMutableBufferPointer<Element>
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
        let count =
            stages.middleware.count + stages.policies.count + (declaresInput ? 1 : 0) + stages.asyncPolicies.count + 1
        elements = .allocate(capacity: count)
        var output = OutputSpan(buffer: elements, initializedCount: 0)
        for middleware in stages.middleware { output.append(Element(middleware.stage)) }
        for policy in stages.policies { output.append(Element(policy.stage)) }
        if declaresInput { output.append(stages.waitingInput.map { .asyncMiddleware(.init($0)) } ?? .input) }
        for policy in stages.asyncPolicies { output.append(.asyncPolicy(.init(policy.stage))) }
        output.append(Element(stages.handler))
        _ = output.finalize(for: elements)
        middlewareCount = stages.middleware.count
    }

    deinit {
        elements.deinitialize()
        elements.deallocate()
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
