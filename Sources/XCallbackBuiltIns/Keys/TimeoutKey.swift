import XCallbackConfiguration
import XCallbackRouter

/// Limits the time of all stages that wait: `timeout: 5s`.
enum TimeoutKey: RouteKey {
    static func decode(_ node: Node, _ source: StageSource, into settings: inout Route.Settings) {
        settings.timeout = node.duration(in: .milliseconds(1)...Duration.seconds(86_400), source.faults)
    }
}
