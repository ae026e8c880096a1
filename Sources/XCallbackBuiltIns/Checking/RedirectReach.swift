import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// The routes that a redirect within the router makes available to requests from the desktop and of assistants.
struct RedirectReach {
    private let decoded: RouteDecoder.Decoded
    private let handler: any RedirectingHandler
    private let pipeline: Pipeline

    init(_ decoded: RouteDecoder.Decoded, _ handler: any RedirectingHandler, in pipeline: Pipeline) {
        self.decoded = decoded
        self.handler = handler
        self.pipeline = pipeline
    }

    /// Warns if the redirect opens a route that is not offered to assistants.
    func warn(_ faults: FaultList) {
        // Such a redirect never ends.
        if handler.fillsPattern(of: decoded.route) { return }
        guard decoded.route.reach.contains(Origin.agent.bit) else { return }
        warnOfOpenedRoutes(handler.configuredTargets ?? [], faults)
    }

    private func warnOfOpenedRoutes(_ targets: [Callback], _ faults: FaultList) {
        var names: [String] = []
        for target in targets {
            var url = ActionURL()
            // The handler reports text that is not a URL.
            guard (try? url.parse(target.bytes.span)) != nil, let route = pipeline.route(answering: url),
                !route.reach.contains(Origin.agent.bit), !names.contains(route.name)
            else { continue }
            names.append(route.name)
            faults.warn(
                "this route opens \(route.name.quoted) to assistants, which is not offered to them",
                at: decoded.handlerPlace)
        }
    }
}
