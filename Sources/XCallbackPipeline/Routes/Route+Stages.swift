extension Route {
    /// A stage that changes requests.
    package enum MiddlewareStage: Sendable {
        case immediate(any Middleware)
        case asynchronous(any AsyncMiddleware)
    }

    /// A stage that refuses requests.
    package enum PolicyStage: Sendable {
        case immediate(any Policy)
        case looking(any PeerPolicy)

        /// Whether it reads the parameters of requests.
        fileprivate var usesParameters: Bool {
            if case .immediate(let policy) = self { policy.usesParameters } else { false }
        }
    }

    /// The stage that does the action.
    package enum HandlerStage: Sendable {
        case immediate(any Handler)
        case asynchronous(any AsyncHandler)
        case delivering(any DeliveringHandler)
    }

    /// What a route is made of, in the order in which a request meets it.
    package struct Stages: Sendable {
        /// What changes the request; the first one is met first.
        package var middleware: [NamedStage<MiddlewareStage>] = []
        /// What refuses the request; the first that does ends it.
        package var policies: [NamedStage<PolicyStage>] = []
        /// What else must not be seen, where no policy of the route asks for it.
        package var hiddenSecrets: [any SecretPolicy] = []
        /// The declared parameters.
        package var input = Input([])
        /// What asks somebody before the action is done.
        package var asyncPolicies: [NamedStage<any AsyncPolicy>] = []
        /// What does the action.
        package var handler: NamedStage<HandlerStage>
        /// What a client must satisfy, besides those of the daemon's user and of root, to receive what the handler gives
        /// to clients; empty if no other may, nil if it gives them nothing.
        package var receivers: [PolicyStage]?

        /// Creates a chain that has only a handler.
        package init(handler: NamedStage<HandlerStage>) {
            self.handler = handler
        }

        /// Creates a chain that has only a handler without a name.
        package init(handler: HandlerStage) {
            self.init(handler: NamedStage(handler))
        }

        /// Whether something here uses the parameters; an async stage may.
        var usesParameters: Bool {
            if !input.isEmpty || !asyncPolicies.isEmpty { return true }
            if policies.contains(where: \.stage.usesParameters) { return true }
            if case .immediate(let handler) = handler.stage, !handler.usesParameters {
                return middleware.contains { middleware in
                    if case .immediate(let stage) = middleware.stage { stage.usesParameters } else { true }
                }
            }
            return true
        }
    }
}
