extension Route {
    /// A stage that changes requests.
    package enum MiddlewareStage: Sendable {
        case immediate(any Middleware)
        case asynchronous(any AsyncMiddleware)

        /// Whether it reads or changes the parameters of requests.
        var usesParameters: Bool {
            if case .immediate(let stage) = self { stage.usesParameters } else { true }
        }
    }

    /// A stage that rejects requests.
    package enum PolicyStage: Sendable {
        case immediate(any Policy)
        case looking(any PeerPolicy)

        /// Whether it reads the parameters of requests.
        fileprivate var usesParameters: Bool {
            if case .immediate(let policy) = self { policy.usesParameters } else { false }
        }
    }

    /// The stage that performs the action.
    package enum HandlerStage: Sendable {
        case immediate(any Handler)
        case asynchronous(any AsyncHandler)
        case delivering(any DeliveringHandler)
    }

    /// The stages of a route, in the order of a request.
    package struct Stages: Sendable {
        /// The stages that change the request, in this order.
        package var middleware: [NamedStage<MiddlewareStage>] = []
        /// The stages that can reject the request; the first rejection ends it.
        package var policies: [NamedStage<PolicyStage>] = []
        /// Other secrets to hide, if no policy of the route checks them.
        package var hiddenSecrets: [any SecretPolicy] = []
        /// The declared parameters.
        package var input = Input([])
        /// The policies that ask the user or a program before the action.
        package var asyncPolicies: [NamedStage<any AsyncPolicy>] = []
        /// The stage that performs the action.
        package var handler: NamedStage<HandlerStage>
        /// The conditions for clients other than those of the daemon's user and of root to receive the handler's
        /// requests; empty if no others may, nil if the handler sends none to clients.
        package var receivers: [PolicyStage]?
        /// Returns the text that the desktop shows after a success, if there is one.
        package var notice: (@Sendable (Request) -> String?)?

        /// Creates a chain that has only a handler.
        package init(handler: NamedStage<HandlerStage>) {
            self.handler = handler
        }

        /// Creates a chain that has only a handler without a name.
        package init(handler: HandlerStage) {
            self.init(handler: NamedStage(handler))
        }

        /// Whether a stage uses the parameters; an async stage may.
        var usesParameters: Bool {
            if !input.isEmpty || !asyncPolicies.isEmpty || notice != nil { return true }
            if policies.contains(where: \.stage.usesParameters) { return true }
            if case .immediate(let handler) = handler.stage, !handler.usesParameters {
                return middleware.contains(where: \.stage.usesParameters)
            }
            return true
        }
    }
}
