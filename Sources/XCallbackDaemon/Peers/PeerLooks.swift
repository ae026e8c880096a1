import XCallbackEventLoop

/// Inspections of peer processes, which run outside the loop; lives on the loop.
///
/// The files to read may be on a disk that does not respond. Each user has few inspections at a time, and users take
/// turns, so that a user with such a disk does not delay others.
final class PeerLooks {
    private struct Look {
        let isWanted: () -> Bool
        let begin: () -> Void
    }

    /// The inspections of a user.
    private struct Line {
        var runningCount = 0
        var waiting: ArraySlice<Look> = []
        /// Whether the user is in the list of turns.
        var hasTurn = false
    }

    /// The time limit of an inspection, including the wait for a turn; after that the process counts as unknown.
    private static let limit = Duration.seconds(1)
    /// The maximum number that run at a time.
    private static let runningLimit = 32
    /// The maximum numbers per user that run and that wait; above that the process counts as unknown at once.
    private static let (userLimit, waitingLimit) = (4, 1024)

    private var lines: [AccountName: Line] = [:]
    /// The users in the order of their turns.
    private var turns: ArraySlice<AccountName> = []
    private var runningCount = 0

    /// Inspects the process at the other end of a connection when its user's turn comes.
    ///
    /// - Parameters:
    ///   - connection: The connection; once it is closed the inspection is skipped.
    ///   - account: The account of the peer.
    ///   - loop: The loop of the caller.
    ///   - body: Reads the facts about the process; called outside the loop.
    ///   - done: Receives the result of `body`, on the loop; nil if it took too long or the process has ended.
    func look<Fact: Sendable>(
        into connection: UInt64, of account: AccountName, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping (Fact?) -> Void
    ) {
        guard lines[account, default: Line()].waiting.count < Self.waitingLimit else { return done(nil) }
        let outcome = Once(done)
        let timer = loop.call(after: Self.limit) { outcome.take(nil) }
        // If the client has disconnected, the result is not needed.
        let look = Look(isWanted: { !outcome.isTaken && loop.peerSocket(of: connection) != nil }) { [self] in
            Task.immediate(executorPreference: loop.executor) {
                // While an inspection waits for its turn it holds no descriptor.
                let process = loop.peerSocket(of: connection)?.process()
                let fact = if let process { await Self.fact(of: process, body) } else { nil as Fact? }
                loop.cancel(timer)
                outcome.take(fact)
                end(of: account)
            }
        }
        lines[account, default: Line()].waiting.append(look)
        giveTurn(to: account)
        beginNext()
    }

    private static func fact<Fact: Sendable>(
        of process: PeerProcess, _ body: @escaping @Sendable (Int32) -> Fact
    ) async -> Fact? {
        await withCheckedContinuation { continuation in
            // A serial queue has a thread of its own; Dispatch checks its global queues only once a second.
            WorkQueue(label: "xcallbackd.look").async {
                let fact = body(process.id)
                continuation.resume(returning: process.isRunning ? fact : nil)
            }
        }
    }

    private func giveTurn(to account: AccountName) {
        guard let line = lines[account], !line.hasTurn, !line.waiting.isEmpty, line.runningCount < Self.userLimit
        else { return }
        lines[account]?.hasTurn = true
        turns.append(account)
    }

    private func beginNext() {
        while runningCount < Self.runningLimit, let account = turns.popFirst() {
            lines[account]?.hasTurn = false
            guard let look = lines[account]?.waiting.popFirst() else { continue }
            runningCount += 1
            lines[account]?.runningCount += 1
            giveTurn(to: account)
            if look.isWanted() { look.begin() } else { end(of: account, beginsNext: false) }
        }
    }

    private func end(of account: AccountName, beginsNext: Bool = true) {
        runningCount -= 1
        lines[account]?.runningCount -= 1
        if let line = lines[account], line.runningCount == 0, line.waiting.isEmpty { lines[account] = nil }
        giveTurn(to: account)
        if beginsNext { beginNext() }
    }
}
