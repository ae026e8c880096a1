import XCallbackPipeline

/// Every stage that a configuration can name, with the function that decodes it.
///
/// A function returns nil after it has reported a fault.
package enum Registry {
    /// The middleware by name.
    static let middleware: [String: @Sendable (StageSource) -> Route.MiddlewareStage?] = [
        "app-links": { AppLinksMiddleware($0).map { .immediate($0) } },
        "exec": { ExecMiddleware($0).map { .asynchronous($0) } },
        "log": { LogMiddleware($0).map { .immediate($0) } },
        "rename": { RenameMiddleware($0).map { .immediate($0) } },
        "strip": { StripMiddleware($0).map { .immediate($0) } },
    ]

    /// The policies by name.
    static let policies: [String: @Sendable (StageSource) -> PolicyStage?] = [
        "app": { AppPolicy($0).map { .immediate($0) } },
        "confirm": { ConfirmPolicy($0).map { .asynchronous($0) } },
        "exec": { ExecPolicy($0).map { .asynchronous($0) } },
        "executable": { ExecutablePolicy($0).map { .immediate($0) } },
        "group": { GroupPolicy($0).map { .immediate($0) } },
        "origin": { OriginPolicy($0).map { .immediate($0) } },
        "rate": { RatePolicy($0).map { .immediate($0) } },
        "require": { RequirePolicy($0).map { .immediate($0) } },
        "source": { SourcePolicy($0).map { .immediate($0) } },
        "token": { TokenPolicy($0).map { .secret($0) } },
        "user": { UserPolicy($0).map { .immediate($0) } },
    ]

    /// The handlers by the key that names them in a route.
    static let handlers: [String: @Sendable (StageSource) -> Route.HandlerStage?] = [
        "deliver": { DeliverHandler($0).map { .asynchronous($0) } },
        "exec": { ExecHandler($0).map { .asynchronous($0) } },
        "publish": { PublishHandler($0).map { .immediate($0) } },
        "redirect": { RedirectHandler($0).map { .immediate($0) } },
        "respond": { RespondHandler($0).map { .immediate($0) } },
    ]

    /// The names of the middleware, in order.
    package static let middlewareNames: [String] = middleware.keys.sorted()
    /// The names of the policies, in order.
    package static let policyNames: [String] = policies.keys.sorted()
    /// The names of the handlers, in order.
    package static let handlerNames: [String] = handlers.keys.sorted()
}
