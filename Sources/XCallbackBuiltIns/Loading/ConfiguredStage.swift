import XCallbackPipeline

/// A stage that a configuration can name; it decodes its own settings.
protocol ConfiguredStage: Sendable {
    /// What the rest of the configuration must know of it.
    static var traits: StageTraits { get }
    /// What other stages can contradict; nil if that is nothing.
    var claim: StageClaim? { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    /// Nothing.
    static var traits: StageTraits { StageTraits() }
}

/// How stages of a type are decoded.
struct StageType<Stage: Sendable>: Sendable {
    /// What the rest of the configuration must know of them.
    let traits: StageTraits
    /// Decodes one, with what it claims; nil after a fault.
    let decode: @Sendable (StageSource) -> (stage: Stage, claim: StageClaim?)?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, looksIntoPeers: Bool = false, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        traits = type.traits
        decode = { source in
            if looksIntoPeers { source.surroundings.looksIntoPeers = true }
            return type.init(source).map { (stage($0), $0.claim) }
        }
    }
}

extension StageType<Route.MiddlewareStage> {
    init(_ type: (some ConfiguredStage & Middleware).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncMiddleware).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<PolicyStage> {
    init(_ type: (some ConfiguredStage & Policy).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & PeerPolicy).Type) {
        self.init(type, looksIntoPeers: true) { .looking($0) }
    }
    init(_ type: (some ConfiguredStage & SecretPolicy).Type) { self.init(type) { .secret($0) } }
    init(_ type: (some ConfiguredStage & AsyncPolicy).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.HandlerStage> {
    init(_ type: (some ConfiguredStage & Handler).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncHandler).Type) { self.init(type) { .asynchronous($0) } }
    init(_ type: (some ConfiguredStage & DeliveringHandler).Type) { self.init(type) { .delivering($0) } }
}
