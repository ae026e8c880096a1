import XCallbackConfiguration
import XCallbackRouter

/// Every stage and every setting of a route that a configuration can name.
package enum Registry {
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

    /// The keys of a route that set how its requests are answered, in order; each decodes its value.
    static let keys: KeyValuePairs<String, @Sendable (Node, StageSource, inout Route.Settings) -> Void> = [
        "ask": { node, source, settings in settings.asks = node.bool(source.faults) ?? false },
        "folder": { node, source, settings in
            let path = source.context.programs.folder(node, source)
            settings.folder = path.map { String(decoding: $0, as: UTF8.self) }
        },
        "form": { node, source, settings in settings.readsForms = node.bool(source.faults) ?? false },
        "history": { node, source, settings in settings.isRecorded = node.bool(source.faults) ?? true },
        "notify": { node, source, settings in
            guard let template = Template(node, source) else { return }
            settings.notice = { template.text(for: $0) }
        },
        "progress": { node, source, settings in settings.reportsProgress = node.bool(source.faults) ?? false },
        "timeout": { node, source, settings in
            let range = Duration.milliseconds(1)...Duration.seconds(86_400)
            guard case .mapping = node.content else {
                settings.timeout = node.duration(in: range, source.faults)
                return
            }
            guard let keys = MappingReader(node, of: "a timeout", faults: source.faults) else { return }
            settings.idleTimeout = keys.requiredNode("idle")?.duration(in: range, source.faults)
            settings.timeout = keys.node("total").map { $0.duration(in: range, source.faults) } ?? range.upperBound
            keys.finish()
        },
    ]

    /// The names of the handlers, in order.
    package static let handlerNames = handlers.map(\.key)

    /// The names of all stages and keys.
    package static let names = Array(middleware.keys) + Array(policies.keys) + handlerNames + keys.map { $0.key }
}
