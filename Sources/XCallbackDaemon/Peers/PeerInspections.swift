import XCallbackEventLoop
import XCallbackLinux

/// Inspections of peer processes, which run outside the loop; lives on the loop.
///
/// The files to read may be on a disk that does not respond. Each owner has few inspections at a time, and owners take turns,
/// so that one with such a disk does not delay others.
struct PeerInspections {
    /// The time limit of an inspection, including the wait for a turn; after that the process counts as unknown.
    private static let limit = Duration.seconds(1)

    private let queue = OwnerQueue(limit: 16, ofEachOwner: 2)

    /// Inspects the process at the other end of a connection when its owner's turn comes.
    ///
    /// - Parameters:
    ///   - connection: The connection; once it is closed the inspection is skipped.
    ///   - owner: The owner of the peer's account.
    ///   - loop: The loop of the caller.
    ///   - body: Reads the facts about the process; called outside the loop.
    ///   - done: Receives the result of `body`, on the loop; nil if it took too long or the process has ended.
    func inspect<Fact: Sendable>(
        _ connection: UInt64, of owner: Owner, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping (Fact?) -> Void
    ) {
        let outcome = Outcome(done)
        let timer = loop.call(after: Self.limit) { outcome.report(nil) }
        queue.add(for: ConnectionID(rawValue: connection), of: owner, on: loop) {
            // While an inspection waits for its turn it holds no descriptor; if nobody waits for it, it needs none.
            let process = outcome.isReported ? nil : loop.peerProcess(of: connection)
            let fact = if let process { await Self.fact(of: process, body) } else { nil as Fact? }
            loop.cancel(timer)
            outcome.report(fact)
        }
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

    /// The outcome of an inspection, of which only the first report counts.
    private final class Outcome<Fact> {
        private var done: ((Fact?) -> Void)?

        init(_ done: @escaping (Fact?) -> Void) {
            self.done = done
        }

        var isReported: Bool { done == nil }

        func report(_ fact: Fact?) { done.take()?(fact) }
    }
}
