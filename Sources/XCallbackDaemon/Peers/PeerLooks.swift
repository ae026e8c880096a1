import XCallbackEventLoop

/// The looks into processes of peers, which run beside the loop; it lives on the loop.
///
/// What is read may lie on a disk that does not answer. Each user has few looks at a time, and users take turns, so that
/// one who has such a disk keeps nobody else waiting.
final class PeerLooks {
    private struct Look {
        let isWanted: () -> Bool
        let begin: () -> Void
    }

    /// The looks of one user.
    private struct Line {
        var runningCount = 0
        var waiting: ArraySlice<Look> = []
        /// Whether the user is among those whose turn comes.
        var hasTurn = false
    }

    /// How long a look may take, with its wait for a turn; then nothing is known of the process.
    private static let limit = Duration.seconds(1)
    /// How many run at a time.
    private static let runningLimit = 32
    /// How many of one user do, and how many wait; of another one nothing is known at once.
    private static let (userLimit, waitingLimit) = (4, 1024)

    private var lines: [AccountName: Line] = [:]
    /// The users whose turn comes, in order.
    private var turns: ArraySlice<AccountName> = []
    private var runningCount = 0

    /// Looks into the process at the other end of a connection when it is its user's turn.
    ///
    /// - Parameters:
    ///   - connection: The connection; once it is gone nobody looks.
    ///   - account: The account of the peer.
    ///   - loop: The loop that calls.
    ///   - body: Reads what the system tells of the process; called beside the loop.
    ///   - done: Called on the loop with what it returned; with nil if it took too long, or the process has ended.
    func look<Fact: Sendable>(
        into connection: UInt64, of account: AccountName, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping (Fact?) -> Void
    ) {
        guard lines[account, default: Line()].waiting.count < Self.waitingLimit else { return done(nil) }
        let outcome = Once(done)
        let timer = loop.call(after: Self.limit) { outcome.take(nil) }
        // Where the client is gone nobody waits for what the time limit ends.
        let look = Look(isWanted: { !outcome.isTaken && loop.peerSocket(of: connection) != nil }) { [self] in
            Task.immediate(executorPreference: loop.executor) {
                // A process that waits for its turn holds no descriptor.
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
            // A serial queue has a thread of its own, beside those that Dispatch looks after every second.
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
