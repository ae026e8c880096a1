import XCallbackConfiguration
import XCallbackRouter

/// A key of a route that sets how its requests are answered, beside its stages.
protocol RouteKey: SendableMetatype {
    /// Decodes the value of the key into the settings of a route; reports faults to the source.
    static func decode(_ node: Node, _ source: StageSource, into settings: inout Route.Settings)
}
