import XCallbackPipeline

/// A stage that a configuration can name; decodes its own settings.
protocol ConfiguredStage: Stage {
    /// What the rest of the configuration must know about the stage; by default nothing.
    var facts: StageFacts { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    var facts: StageFacts { StageFacts() }
}

/// The decoding of a stage type.
struct StageType<Stage: Sendable>: Sendable {
    /// Decodes a stage; nil after a fault.
    let decode: @Sendable (StageSource) -> NamedStage<Stage>?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        decode = { source in
            type.init(source).map { NamedStage(stage($0), name: source.name, facts: $0.facts) }
        }
    }
}

extension StageType<Route.MiddlewareStage> {
    init(_ type: (some ConfiguredStage & Middleware).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncMiddleware).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.PolicyStage> {
    init(_ type: (some ConfiguredStage & Policy).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncPolicy).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.HandlerStage> {
    init(_ type: (some ConfiguredStage & Handler).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncHandler).Type) { self.init(type) { .asynchronous($0) } }
    init(_ type: (some ConfiguredStage & DeliveringHandler).Type) { self.init(type) { .delivering($0) } }
}
