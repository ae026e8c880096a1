import XCallbackConfiguration
import XCallbackRouter

/// Reads queries as HTML forms write them: `form: true`.
enum FormKey: RouteKey {
    static func decode(_ node: Node, _ source: StageSource, into settings: inout Route.Settings) {
        settings.readsForms = node.bool(source.faults) ?? false
    }
}
