import XCallbackPipeline

/// Every stage that a configuration can name, with the function that decodes it.
///
/// A function returns nil after it has reported a fault.
package enum Registry {
    /// The middleware by name.
    static let middleware: [String: @Sendable (StageSource) -> Route.MiddlewareStage?] = [
        "log": { LogMiddleware($0).map { .immediate($0) } }
    ]

    /// The policies by name.
    static let policies: [String: @Sendable (StageSource) -> (any Policy)?] = [
        "rate": { RatePolicy($0) },
        "require": { RequirePolicy($0) },
        "user": { UserPolicy($0) },
    ]

    /// The handlers by the key that names them in a route.
    static let handlers: [String: @Sendable (StageSource) -> Route.HandlerStage?] = [
        "exec": { ExecHandler($0).map { .awaited($0) } },
        "redirect": { RedirectHandler($0).map { .immediate($0) } },
        "respond": { RespondHandler($0).map { .immediate($0) } },
    ]

    /// The names of the middleware, in order.
    package static let middlewareNames: [String] = middleware.keys.sorted()
    /// The names of the policies, in order.
    package static let policyNames: [String] = policies.keys.sorted()
    /// The names of the handlers, in order.
    package static let handlerNames: [String] = handlers.keys.sorted()
    /// The keys of a route that belong to one handler or another, beside those that name them.
    static let handlerKeys = ["cancel-status", "detach", "output"]
}
