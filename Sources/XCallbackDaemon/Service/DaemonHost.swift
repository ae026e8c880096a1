import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL

/// What the stages of the daemon's routes may ask.
///
/// Lives on the event loop, where all stages run: only they, and other code of the loop, use what it has.
final class DaemonHost: StageHost {
    nonisolated(unsafe) var time: Int64 = 0
    /// The calls of clients that wait for other applications.
    nonisolated(unsafe) var calls = OutgoingCalls()
    /// The number of subscribers that were reached since this was last read.
    nonisolated(unsafe) var reachedCount = 0
    nonisolated(unsafe) let log: ServiceLog
    nonisolated(unsafe) let subscriptions = Subscriptions()
    private nonisolated(unsafe) let questions = QuestionLimits()
    private nonisolated(unsafe) let inspections = PeerInspections()
    private nonisolated(unsafe) let accounts: Accounts
    private unowned let loop: EventLoop

    init(_ log: ServiceLog, on loop: isolated EventLoop) {
        self.log = log
        self.loop = loop
        accounts = loop.accounts
    }

    var wallTime: Duration { XCallbackLinux.wallTime() }

    /// The account of a request.
    private func account(of request: Request) -> Account {
        let (userID, kind) = (request.peer.userID, request.receivedOrigin.accountClass)
        // Without this, each request would allocate memory for the call on the loop.
        if let account = accounts.latestAccount(of: userID, kind) { return account }
        nonisolated(unsafe) var account = accounts.shared
        loop.assumeIsolated { account = $0.account(of: userID, kind) }
        return account
    }

    func admit(
        _ request: Request, to bucket: UInt64, isShared: Bool, _ rate: RateLimit
    ) throws(CallbackError) -> Bool {
        let (account, now) = (isShared ? accounts.shared : account(of: request), time)
        do throws(Excess) {
            return try account.admit(to: bucket, at: now) { rate.next(after: $0, at: now) }
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
    }

    func takeLogLine(for request: Request) -> Bool {
        loop.assumeIsolated { log.takeLine(for: request, on: $0) }
    }

    func note(cause: String, of request: Request) {
        log.failureCauses.note(cause, of: request)
    }

    func report(_ progress: RequestProgress, of request: Request) {
        loop.assumeIsolated { loop in
            let session = request.peer.connection.flatMap { loop.session(of: $0) } as? ClientSession
            session?.take(progress, of: request.id, on: loop)
        }
    }

    func groups(of peer: Peer) -> [UInt32]? {
        loop.assumeIsolated { loop in peer.connection.flatMap { loop.groups(of: $0) } }
    }

    func inspect(
        _ peer: Peer, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? {
        guard let connection = peer.connection else { return nil }
        return await inspections.inspect(connection, of: peer.userID, on: loop, body)
    }

    func beginQuestion(for request: Request) throws(CallbackError) {
        let now = loop.assumeIsolated { $0.now }
        try questions.begin(.init(request), at: now) { QuestionTurn.remind(of: request.route) }
    }

    func endQuestion(for request: Request, isNo: Bool) {
        let (owner, now) = (account(of: request).name.owner, loop.assumeIsolated { $0.now })
        questions.end(.init(request), isNo: isNo, of: owner, at: now)
    }

    func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int {
        nonisolated(unsafe) let account = account(of: request)
        let result = loop.assumeIsolated { loop in
            Result { () throws(Excess) in
                try subscriptions.publish(request.parameters, to: topic, for: account, on: loop)
            }
        }
        let count = try result.mapError { CallbackError(.tooMany, $0.description) }.get()
        reachedCount += count
        return count
    }

    func finishCall(_ token: String, from userID: UInt32, with response: Response) -> CallbackError? {
        calls.finish(token, from: userID, with: response)
    }
}
