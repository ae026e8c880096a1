import XCallbackConfiguration
import XCallbackRouter

/// Shows a notification after a success: `notify: "Saved {title}"`.
enum NotifyKey: RouteKey {
    static func decode(_ node: Node, _ source: StageSource, into settings: inout Route.Settings) {
        guard let template = Template(node, source) else { return }
        settings.notice = { request in template.text(for: request) }
    }
}
