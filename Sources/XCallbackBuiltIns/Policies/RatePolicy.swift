import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Limits the requests of a route per period: `rate: 10/s`, or `rate: { limit: 10/s, per: route }`.
struct RatePolicy: Policy, ConfiguredStage {
    /// The requests that are counted together.
    private enum Per: String, CaseIterable {
        /// Each user has the whole rate.
        case user
        /// All users share the rate.
        case route
    }

    private let rate: RateMeter.Rate
    private let per: Per
    /// Identifies the rate among those of all routes.
    private let scope: UInt64

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a rate such as 10/s"),
            let (rate, per) = Self.decode(node, source.faults)
        else { return nil }
        self.rate = RateMeter.Rate(count: rate.count, period: rate.period)
        self.per = per
        scope = stableHash("\(source.position) \(rate.count)/\(rate.period) \(per.rawValue)")
    }

    /// Separates requests of assistants from all others.
    private static let agentScope: UInt64 = 0x6167_656E_74

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        let route = request.matchedRoute?.identityHash ?? 0
        // An assistant's requests never use up the user's share.
        let agent = request.receivedOrigin == .agent ? Self.agentScope : 0
        let key = RateMeter.Key(scope: route ^ scope ^ agent, userID: per == .user ? request.peer.userID : nil)
        return state[RateMeter.self].admit(key, rate, at: state.time)
            ? .verified
            : .failed(CallbackError(.tooMany, "Policy 'rate' refuses the request: too many requests, try again later."))
    }

    private static func decode(_ node: Node, _ faults: FaultList) -> (Rate, Per)? {
        guard case .mapping = node.content else { return node.rate(faults).map { ($0, .user) } }
        guard let reader = MappingReader(node, of: "a rate", faults: faults) else { return nil }
        let rate = reader.requiredNode("limit")?.rate(faults)
        let per = reader.choice("per", of: Per.self) ?? .user
        reader.finish()
        return rate.map { ($0, per) }
    }
}

extension RatePolicy: RehearsedStage {
    /// Returns the real policy's result, with a copy of the state.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        let notes = ["lets \(rate.count) in \(rate.period.text) pass per \(per.rawValue); this one is not counted"]
        return Rehearsal(verify(request, &state), notes: notes)
    }
}
