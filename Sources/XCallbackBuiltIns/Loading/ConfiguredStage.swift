import XCallbackPipeline

/// A stage that a configuration can name; it decodes its own settings.
protocol ConfiguredStage: Sendable {
    /// What the rest of the configuration must know of it.
    static var traits: StageTraits { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    /// Nothing.
    static var traits: StageTraits { [] }
}

/// How stages of a type are decoded.
struct StageType<Stage: Sendable>: Sendable {
    /// What the rest of the configuration must know of them.
    let traits: StageTraits
    /// Decodes one; nil after a fault.
    let decode: @Sendable (StageSource) -> Stage?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        traits = type.traits
        decode = { source in
            if type is any PeerPolicy.Type { source.surroundings.looksIntoPeers = true }
            return type.init(source).map(stage)
        }
    }
}

extension StageType<Route.MiddlewareStage> {
    init(_ type: (some ConfiguredStage & Middleware).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncMiddleware).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<PolicyStage> {
    init(_ type: (some ConfiguredStage & Policy).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & PeerPolicy).Type) { self.init(type) { .looking($0) } }
    init(_ type: (some ConfiguredStage & SecretPolicy).Type) { self.init(type) { .secret($0) } }
    init(_ type: (some ConfiguredStage & AsyncPolicy).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.HandlerStage> {
    init(_ type: (some ConfiguredStage & Handler).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncHandler).Type) { self.init(type) { .asynchronous($0) } }
    init(_ type: (some ConfiguredStage & DeliveringHandler).Type) { self.init(type) { .delivering($0) } }
}
