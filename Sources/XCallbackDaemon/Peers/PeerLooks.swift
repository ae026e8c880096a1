import Dispatch
import XCallbackEventLoop

/// The looks into processes of peers, which run beside the loop; it lives on the loop.
///
/// What is read may lie on a disk that does not answer. Each user has few looks at a time, so that one who has such a
/// disk keeps nobody else waiting.
final class PeerLooks {
    private struct Look {
        let userID: UInt32
        let isWanted: () -> Bool
        let begin: () -> Void
    }

    /// How long a look may take, with its wait for a turn; then nothing is known of the process.
    static let limit = Duration.seconds(1)
    /// How many run at a time.
    private static let runningLimit = 32
    /// How many of one user do.
    private static let userLimit = 4
    private static let queue = DispatchQueue(label: "xcallbackd.peers", attributes: .concurrent)

    /// In the order of their turns.
    private var waiting: [Look] = []
    /// How many run, by user.
    private var running: [UInt32: Int] = [:]

    /// Looks into a process when it is the user's turn.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - userID: Its user.
    ///   - loop: The loop that calls.
    ///   - body: Reads what the system tells of the process; called beside the loop.
    ///   - done: Called on the loop with what it returned; with nil if it took too long, or the process has ended.
    func look<Fact: Sendable>(
        into process: PeerProcess, of userID: UInt32, on loop: isolated EventLoop,
        _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping (Fact?) -> Void
    ) {
        let outcome = Once(done)
        let timer = loop.call(after: Self.limit) { outcome.take(nil) }
        let look = Look(userID: userID, isWanted: { !outcome.isTaken }) { [self] in
            Task.immediate(executorPreference: loop.executor) {
                let fact = await Self.fact(of: process, body)
                loop.cancel(timer)
                outcome.take(fact)
                end(of: userID, on: loop)
            }
        }
        waiting.append(look)
        beginNext(on: loop)
    }

    private static func fact<Fact: Sendable>(
        of process: PeerProcess, _ body: @escaping @Sendable (Int32) -> Fact
    ) async -> Fact? {
        await withCheckedContinuation { continuation in
            queue.async {
                let fact = body(process.id)
                continuation.resume(returning: process.isRunning ? fact : nil)
            }
        }
    }

    private func beginNext(on loop: isolated EventLoop) {
        waiting.removeAll { !$0.isWanted() }
        while running.values.reduce(0, +) < Self.runningLimit,
            let index = waiting.firstIndex(where: { running[$0.userID, default: 0] < Self.userLimit })
        {
            let next = waiting.remove(at: index)
            running[next.userID, default: 0] += 1
            next.begin()
        }
    }

    private func end(of userID: UInt32, on loop: isolated EventLoop) {
        let count = running[userID, default: 1] - 1
        running[userID] = count > 0 ? count : nil
        beginNext(on: loop)
    }
}
