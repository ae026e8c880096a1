import XCallbackRouter
import XCallbackURL

/// A stage that a configuration can name; decodes its own settings.
protocol ConfiguredStage: Stage {
    /// The keys that its route can have for it, beside its own name; only of handlers.
    static var keys: [String] { get }
    /// What the rest of the configuration must know about the stage; by default nothing.
    var facts: StageFacts { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    static var keys: [String] { [] }
    var facts: StageFacts { StageFacts() }
}

/// The decoding of a stage type.
struct StageType<Stage: Sendable>: Sendable {
    /// The keys that its route can have for it.
    let keys: [String]
    /// Decodes a stage; nil after a fault.
    let decode: @Sendable (StageSource) -> NamedStage<Stage>?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        keys = type.keys
        decode = { source in
            type.init(source).map { NamedStage(stage($0), name: source.name, facts: $0.facts) }
        }
    }
}

extension StageType<Route.MiddlewareStage> {
    init(_ type: (some ConfiguredStage & Middleware).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & HostedMiddleware).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.PolicyStage> {
    init(_ type: (some ConfiguredStage & ImmediatePolicy).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncPolicy).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.HandlerStage> {
    init(_ type: (some ConfiguredStage & Handler).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & HostedHandler).Type) { self.init(type) { .asynchronous($0) } }
    init(_ type: (some ConfiguredStage & DeliveringHandler).Type) { self.init(type) { .delivering($0) } }
}

extension CallbackError {
    /// Returns the error that a client sees if a policy rejects its request.
    ///
    /// - Parameters:
    ///   - policy: The name of the policy.
    ///   - reason: The reason, without a full stop and without a value from the request.
    /// - Returns: The error.
    static func refusal(by policy: String, _ reason: String) -> CallbackError {
        CallbackError(.refused, "Policy '\(policy)' refuses the request: \(reason).")
    }

    /// Returns the error that a client sees if a policy fails; the log has the cause.
    static func failure(of policy: String) -> CallbackError {
        CallbackError(.internalFailure, "Policy '\(policy)' failed.")
    }
}
