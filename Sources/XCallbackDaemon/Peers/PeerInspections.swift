import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter

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
    ///   - userID: The user of the peer.
    ///   - loop: The loop of the caller.
    ///   - body: Reads the facts about the process; called outside the loop.
    /// - Returns: The result of `body`; nil if it took too long or the process has ended.
    func inspect(
        _ connection: UInt64, of userID: UInt32, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? {
        let owner = loop.account(of: userID, .socket).name.owner
        return await withCheckedContinuation { continuation in
            let outcome = Outcome(continuation)
            let timer = loop.call(after: Self.limit) {
                // On a disk that hangs, its turn may not come for a long time.
                queue.remove(ConnectionID(rawValue: connection))
                outcome.report(nil)
            }
            queue.add(for: ConnectionID(rawValue: connection), of: owner, on: loop) {
                // While an inspection waits for its turn it holds no descriptor; if nobody waits for it, it needs none.
                let process = outcome.isReported ? nil : loop.peerProcess(of: connection)
                let result = if let process { await Self.result(of: process, body) } else { nil as PolicyResult? }
                loop.cancel(timer)
                outcome.report(result)
            }
        }
    }

    private static func result(
        of process: PeerProcess, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? {
        do throws(SystemError) {
            return try await WorkQueue().run {
                let result = body(process.id)
                return process.isRunning ? result : nil
            }
        } catch {
            return nil
        }
    }

    /// The outcome of an inspection, of which only the first report counts.
    private final class Outcome {
        private var continuation: CheckedContinuation<PolicyResult?, Never>?

        init(_ continuation: CheckedContinuation<PolicyResult?, Never>) {
            self.continuation = continuation
        }

        var isReported: Bool { continuation == nil }

        func report(_ result: PolicyResult?) { continuation.take()?.resume(returning: result) }
    }
}
