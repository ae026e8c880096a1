import XCallbackPipeline

/// A stage that a configuration can name; decodes its own settings.
protocol ConfiguredStage: Sendable {
    /// The properties of the stage that matter to the rest of the configuration.
    static var traits: StageTraits { get }
    /// The claim that other stages can contradict; nil if there is none.
    var claim: StageClaim? { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    /// No traits.
    static var traits: StageTraits { StageTraits() }
}

/// The decoding of a stage type.
struct StageType<Stage: Sendable>: Sendable {
    /// The properties of the stages that matter to the rest of the configuration.
    let traits: StageTraits
    /// Decodes a stage and its claim; nil after a fault.
    let decode: @Sendable (StageSource) -> (stage: Stage, claim: StageClaim?)?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        traits = type.traits
        decode = { source in
            type.init(source).map { (stage($0), $0.claim) }
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
