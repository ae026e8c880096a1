package import XCallbackURL

/// All that a stage may ask of its host: the daemon, a router within a process, or a test.
///
/// A stage gets its host with each call, and does not keep it. All calls of a host come from one event loop, or from one
/// task at a time. What a host does not define itself, it does not offer: outside of a daemon, nothing is counted, and
/// no peer is known.
package protocol StageHost: AnyObject, Sendable {
    /// The time of a monotonic clock at the start of the current batch of requests, in nanoseconds.
    var time: Int64 { get }
    /// The time since 1970, which can be set back.
    var wallTime: Duration { get }

    /// Counts a request toward a rate of the account of its user, or toward one of all users together.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bucket: The number of the rate among those of the account.
    ///   - isShared: Whether all users share the rate.
    ///   - rate: The rate.
    /// - Returns: Whether the request is within the rate.
    /// - Throws: ``CallbackError`` if the account has no room for another rate.
    func admit(
        _ request: Request, to bucket: UInt64, isShared: Bool, _ rate: RateLimit
    ) throws(CallbackError) -> Bool

    /// Counts a log line toward the account of a request; returns whether the line may be written.
    func takeLogLine(for request: Request) -> Bool

    /// Keeps the cause of a failure for users who may see it; the first cause of a request counts.
    func note(cause: String, of request: Request)

    /// Reports how far a request is to the client that waits for it.
    func report(_ progress: RequestProgress, of request: Request)

    /// The supplementary groups of a peer when it connected; nil if unknown.
    func groups(of peer: Peer) -> [UInt32]?

    /// Runs a function with the process ID of a peer on a work queue, where it may block on a disk.
    ///
    /// - Returns: The result; nil after a timeout, or if the process had ended by then, because its ID may have been reused.
    func inspect(
        _ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult?

    /// Starts a question to the user of a request.
    ///
    /// - Throws: ``CallbackError`` 429 if the user must not be asked now.
    func beginQuestion(for request: Request) throws(CallbackError)

    /// Ends a question; `isNo` says that the user has not allowed the request.
    func endQuestion(for request: Request, isNo: Bool)

    /// Publishes the parameters of a request to a topic.
    ///
    /// - Returns: The number of subscribers that it reaches.
    /// - Throws: ``CallbackError`` if too many deliveries are pending.
    func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int

    /// Passes the answer of another application to the call that waits for it.
    ///
    /// - Parameters:
    ///   - token: The token in the return URL.
    ///   - userID: The user that opened the return URL.
    ///   - response: The answer of the application.
    /// - Returns: The error for the application if no call takes the answer; nil if one has taken it.
    func finishCall(_ token: String, from userID: UInt32, with response: Response) -> CallbackError?
}

extension StageHost {
    package func admit(
        _ request: Request, to bucket: UInt64, isShared: Bool, _ rate: RateLimit
    ) throws(CallbackError) -> Bool { true }

    package func takeLogLine(for request: Request) -> Bool { true }

    package func note(cause: String, of request: Request) {}

    package func report(_ progress: RequestProgress, of request: Request) {}

    package func groups(of peer: Peer) -> [UInt32]? { nil }

    package func inspect(
        _ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? { nil }

    package func beginQuestion(for request: Request) throws(CallbackError) {}

    package func endQuestion(for request: Request, isNo: Bool) {}

    package func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int { 0 }

    package func finishCall(_ token: String, from userID: UInt32, with response: Response) -> CallbackError? {
        var calls = OutgoingCalls()
        return calls.finish(token, from: userID, with: response)
    }
}
