import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets so many requests of a route pass in a time: `rate: 10/s`, or `rate: { limit: 10/s, per: route }`.
struct RatePolicy: Policy {
    /// Whose requests are counted together.
    private enum Per: String, CaseIterable {
        /// Each user has the whole rate.
        case user
        /// All users share the rate.
        case route
    }

    private let rate: RateMeter.Rate
    private let per: Per
    private let scope: UInt64

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a rate such as 10/s"),
            let (rate, per) = Self.decode(node, source.faults)
        else { return nil }
        self.rate = RateMeter.Rate(count: rate.count, period: rate.period)
        self.per = per
        scope = stableHash("\(source.route.identity) \(source.position) \(rate.count)/\(rate.period) \(per.rawValue)")
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        let key = RateMeter.Key(scope: scope, userID: per == .user ? request.peer.userID : nil)
        return state.rates.admit(key, rate, at: state.time)
            ? .verified
            : .failed(CallbackError(.tooMany, "Policy 'rate' refuses the request: too many came, try again later."))
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
    /// Says what the real policy would, with a copy of the state.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        let notes = ["lets \(rate.count) in \(rate.period.text) pass per \(per.rawValue); this one is not counted"]
        switch verify(request, &state) {
        case .verified: return Rehearsal(.proceeds, notes: notes)
        case .failed(let error): return Rehearsal(.ends(.error(error)), notes: notes)
        }
    }
}

/// A hash that is the same in every run (FNV-1a), so that what is kept under it outlives a reload.
private func stableHash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
}
