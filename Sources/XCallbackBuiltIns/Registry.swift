import XCallbackRouter

/// Every stage that a configuration can name.
enum Registry {
    /// The middleware by name.
    static let middleware: [String: StageType<Route.MiddlewareStage>] = [
        "app-links": StageType(AppLinksMiddleware.self),
        "exec": StageType(ExecMiddleware.self),
        "log": StageType(LogMiddleware.self),
        "rename": StageType(RenameMiddleware.self),
        "strip": StageType(StripMiddleware.self),
    ]

    /// The policies by name.
    static let policies: [String: StageType<Route.PolicyStage>] = [
        "app": StageType(AppPolicy.self),
        "confirm": StageType(ConfirmPolicy.self),
        "exec": StageType(ExecPolicy.self),
        "executable": StageType(ExecutablePolicy.self),
        "group": StageType(AccountPolicy.self),
        "origin": StageType(OriginPolicy.self),
        "rate": StageType(RatePolicy.self),
        "require": StageType(RequirePolicy.self),
        "source": StageType(SourcePolicy.self),
        "token": StageType(TokenPolicy.self),
        "user": StageType(AccountPolicy.self),
    ]

    /// The handlers, with their keys in a route, in order.
    static let handlers: [(key: String, type: StageType<Route.HandlerStage>)] = [
        ("deliver", StageType(DeliverHandler.self)),
        ("exec", StageType(ExecHandler.self)),
        ("publish", StageType(PublishHandler.self)),
        ("redirect", StageType(RedirectHandler.self)),
        ("respond", StageType(RespondHandler.self)),
    ]

    /// The keys of a route beside its address, its stages and its description.
    static let keys: [(name: String, type: any RouteKey.Type)] = [
        ("form", FormKey.self),
        ("history", HistoryKey.self),
        ("notify", NotifyKey.self),
        ("timeout", TimeoutKey.self),
    ]

    /// The names of the handlers, in order.
    static let handlerNames = handlers.map(\.key)
}
