import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Limits the requests of a route per period: `rate: 10/s`, or `rate: { limit: 10/s, per: route }`.
struct RatePolicy: ImmediatePolicy, ConfiguredStage {
    /// The requests that are counted together.
    private enum Per: String, CaseIterable {
        /// Each user has the whole rate.
        case user
        /// All users share the rate.
        case route
    }

    private let rate: RateLimit
    private let per: Per
    /// Identifies the rate among those of all routes.
    private let scope: UInt64

    var facts: StageFacts { StageFacts { $0.usesParameters = false } }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a rate such as 10/s"),
            let (rate, per) = Self.decode(node, source.faults)
        else { return nil }
        self.rate = RateLimit(count: rate.count, period: rate.period)
        self.per = per
        scope = stableHash("\(source.position) \(rate.count)/\(rate.period) \(per.rawValue)")
    }

    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult {
        let number = (request.matchedRoute?.identityHash ?? 0) ^ scope
        do throws(CallbackError) {
            let isAdmitted = try host.admit(request, to: number, isShared: per == .route, rate)
            return isAdmitted ? .verified : .failed(.tooManyRequests)
        } catch {
            return .failed(error)
        }
    }

    private static func decode(_ node: Node, _ faults: FaultList) -> (Rate, Per)? {
        guard case .mapping = node.content else { return node.rate(faults).map { ($0, .user) } }
        guard let reader = MappingReader(node, of: "a rate", faults: faults) else { return nil }
        let rate = reader.requiredNode("limit")?.rate(faults)
        let per = reader.choice("per", of: Per.self) ?? .user
        reader.finish()
        return rate.map { ($0, per) }
    }

    func plan(for request: Request) -> StagePlan {
        let users = per == .route ? " for all users together" : ""
        return StagePlan("at most \(rate.count) per \(rate.period.text)\(users) (this try does not count)")
    }
}

extension CallbackError {
    fileprivate static let tooManyRequests = CallbackError(
        .tooMany, "Policy 'rate' refuses the request: too many requests, try again later.")
}
