import XCallbackConfiguration
import XCallbackRouter

/// Keeps the requests of a route out of the history: `history: false`.
enum HistoryKey: RouteKey {
    static func decode(_ node: Node, _ source: StageSource, into settings: inout Route.Settings) {
        settings.isRecorded = node.bool(source.faults) ?? true
    }
}
