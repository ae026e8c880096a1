import XCallbackPipeline

/// A handler, as one route of the configuration or another names it.
final class DecodedHandler {
    /// What the configuration calls it.
    let name: String
    let stage: Route.HandlerStage
    /// Whether it is the same handler wherever the configuration says it.
    let isShared: Bool

    init(_ name: String, _ stage: Route.HandlerStage, isShared: Bool) {
        self.name = name
        self.stage = stage
        self.isShared = isShared
    }
}

/// The parts of a chain.
struct DecodedChain {
    let middleware: StageList<Route.MiddlewareStage>
    let policies: StageList<PolicyStage>
    let handler: DecodedHandler

    fileprivate var isShared: Bool { middleware.isShared && policies.isShared && handler.isShared }

    fileprivate func chain(_ input: Input) -> Chain {
        var stages = Route.Stages(handler: handler.stage)
        stages.handlerName = handler.name
        stages.input = input
        stages.middleware = middleware.stages
        stages.middlewareNames = middleware.names
        for (name, policy) in zip(policies.names, policies.stages) {
            switch policy {
            case .immediate(let policy):
                stages.policies.append(policy)
                stages.policyNames.append(name)
            case .awaited(let policy):
                stages.awaitedPolicies.append(policy)
                stages.awaitedPolicyNames.append(name)
            }
        }
        return Chain(stages)
    }
}

/// The chains of routes that share all their stages and declare no input.
///
/// With thousands of routes it is what keeps the memory that each request touches small.
struct ChainCache {
    private struct Key: Hashable {
        let middleware: ObjectIdentifier
        let policies: ObjectIdentifier
        let handler: ObjectIdentifier
    }

    // What keeps the parts of a key alive is kept with it.
    private var chains: [Key: (parts: DecodedChain, chain: Chain)] = [:]

    /// The chain of some parts.
    mutating func chain(of parts: DecodedChain, _ input: Input) -> Chain {
        guard parts.isShared, input.isEmpty else { return parts.chain(input) }
        let key = Key(
            middleware: ObjectIdentifier(parts.middleware), policies: ObjectIdentifier(parts.policies),
            handler: ObjectIdentifier(parts.handler))
        if let known = chains[key] { return known.chain }
        let chain = parts.chain(input)
        chains[key] = (parts, chain)
        return chain
    }
}
