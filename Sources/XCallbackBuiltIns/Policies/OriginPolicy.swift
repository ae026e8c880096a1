import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Accepts requests from some origins: `origin: socket`, or `origin: [socket, internal]`.
struct OriginPolicy: RequestPolicy, ConfiguredStage {
    private let origins: [Origin]

    var facts: StageFacts {
        StageFacts {
            $0.usesParameters = false
            // The list is empty after a fault.
            if !origins.isEmpty { $0.acceptsOrigins = OriginSet(origins.map(\.bit)) }
        }
    }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("desktop, socket, internal or agent, or a list of them") else {
            return nil
        }
        origins = node.origins(source.faults)
    }

    func verify(_ request: Request) -> PolicyResult {
        origins.contains(request.origin)
            ? .verified : .failed(.refusal(by: "origin", "the origin is not allowed"))
    }
}

extension Node {
    /// Reads one origin or a list of origins.
    func origins(_ faults: FaultList) -> [Origin] {
        if elements.isEmpty { faults.report("expected at least one origin", at: place) }
        return elements.compactMap { $0.choice(of: Origin.self, faults) }
    }
}
