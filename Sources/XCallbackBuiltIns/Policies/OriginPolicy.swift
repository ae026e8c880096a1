import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets requests pass that came in on some ways: `origin: socket`, or `origin: [socket, internal]`.
struct OriginPolicy: Policy, ConfiguredStage {
    private let origins: [Origin]

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("desktop, socket or internal, or a list of them") else { return nil }
        let origins = node.elements.compactMap { $0.choice(of: Origin.self, source.faults) }
        if node.elements.isEmpty { source.faults.report("expected at least one origin", at: node.place) }
        self.origins = origins
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        origins.contains(request.origin)
            ? .verified : .failed(.refusal(by: "origin", "it is for requests that come in on another way"))
    }
}
