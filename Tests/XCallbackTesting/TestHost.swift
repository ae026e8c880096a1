package import XCallbackRouter
package import XCallbackURL

/// What the stages of a test may ask: what the test sets, and an account for each user and class without limits.
///
/// One task at a time uses it.
package final class TestHost: StageHost {
    package nonisolated(unsafe) var time: Int64 = 0
    package nonisolated(unsafe) var wallTime = Duration.zero
    /// The groups of every peer; nil if they are not known.
    package nonisolated(unsafe) var groups: [UInt32]?
    /// The process of every peer; nil if it is not known.
    package nonisolated(unsafe) var process: Int32?
    package nonisolated(unsafe) var calls = OutgoingCalls()
    private nonisolated(unsafe) var buckets: [String: Int64] = [:]

    package init() {}

    package func admit(
        _ request: Request, to bucket: UInt64, isShared: Bool, _ rate: RateLimit
    ) throws(CallbackError) -> Bool {
        let account = isShared ? "all" : "\(request.peer.userID) \(request.receivedOrigin == .agent)"
        guard let next = rate.next(after: buckets["\(account) \(bucket)"], at: time) else { return false }
        buckets["\(account) \(bucket)"] = next
        return true
    }

    package func groups(of peer: Peer) -> [UInt32]? { groups }

    package func inspect(
        _ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? { process.map(body) }

    package func finishCall(_ token: String, from userID: UInt32, with response: Response) -> CallbackError? {
        calls.finish(token, from: userID, with: response)
    }
}
