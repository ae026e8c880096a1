import XCallbackEventLoop
import XCallbackLinux

/// Inspections of peer processes, which run outside the loop; lives on the loop.
///
/// The files to read may be on a disk that does not respond. Each owner has few inspections at a time, and owners take
/// turns, so that one with such a disk does not delay others.
final class PeerLooks {
    private struct Look {
        let isWanted: () -> Bool
        let begin: () -> Void
    }

    /// The inspections of an owner.
    private struct Line {
        var runningCount = 0
        var waiting: ArraySlice<Look> = []
        /// Whether the owner is in the list of turns.
        var hasTurn = false
    }

    /// The time limit of an inspection, including the wait for a turn; after that the process counts as unknown.
    private static let limit = Duration.seconds(1)
    /// The maximum number that run at a time.
    private static let runningLimit = 16
    /// The maximum numbers per owner that run and that wait; above that the process counts as unknown at once.
    private static let (ownerLimit, waitingLimit) = (2, 1024)

    private var lines: [Owner: Line] = [:]
    /// The owners in the order of their turns.
    private var turns: ArraySlice<Owner> = []
    private var runningCount = 0

    /// Inspects the process at the other end of a connection when its owner's turn comes.
    ///
    /// - Parameters:
    ///   - connection: The connection; once it is closed the inspection is skipped.
    ///   - owner: The owner of the peer's account.
    ///   - loop: The loop of the caller.
    ///   - body: Reads the facts about the process; called outside the loop.
    ///   - done: Receives the result of `body`, on the loop; nil if it took too long, the process has ended, or the
    ///     system has no thread.
    func look<Fact: Sendable>(
        into connection: UInt64, of owner: Owner, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping (Fact?) -> Void
    ) {
        guard lines[owner, default: Line()].waiting.count < Self.waitingLimit else { return done(nil) }
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
                end(of: owner)
            }
        }
        lines[owner, default: Line()].waiting.append(look)
        giveTurn(to: owner)
        beginNext()
    }

    private static func fact<Fact: Sendable>(
        of process: PeerProcess, _ body: @escaping @Sendable (Int32) -> Fact
    ) async -> Fact? {
        do throws(SystemError) {
            return try await WorkQueue().run {
                let fact = body(process.id)
                return process.isRunning ? fact : nil
            }
        } catch {
            return nil
        }
    }

    private func giveTurn(to owner: Owner) {
        guard let line = lines[owner], !line.hasTurn, !line.waiting.isEmpty, line.runningCount < Self.ownerLimit
        else { return }
        lines[owner]?.hasTurn = true
        turns.append(owner)
    }

    private func beginNext() {
        while runningCount < Self.runningLimit, let owner = turns.popFirst() {
            lines[owner]?.hasTurn = false
            guard let look = lines[owner]?.waiting.popFirst() else { continue }
            runningCount += 1
            lines[owner]?.runningCount += 1
            giveTurn(to: owner)
            if look.isWanted() { look.begin() } else { end(of: owner, beginsNext: false) }
        }
    }

    private func end(of owner: Owner, beginsNext: Bool = true) {
        runningCount -= 1
        lines[owner]?.runningCount -= 1
        if let line = lines[owner], line.runningCount == 0, line.waiting.isEmpty { lines[owner] = nil }
        giveTurn(to: owner)
        if beginsNext { beginNext() }
    }
}
