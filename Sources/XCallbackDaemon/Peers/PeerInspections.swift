import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline

/// Reads facts about the peers of a loop's connections; used on the loop only.
///
/// Peer processes are inspected outside the loop, because the files to read may be on a disk that does not respond. Each
/// owner has few inspections at a time, and owners take turns, so that one with such a disk does not delay others.
struct PeerInspections: PeerReader {
    /// The time limit of an inspection, including the wait for a turn; after that the process counts as unknown.
    private static let limit = Duration.seconds(1)
    /// The maximum number that wait per owner; above that the process counts as unknown at once.
    private static let waitingLimit = 1024

    let loop: EventLoop
    /// Lives on the loop, on which this value is used only.
    nonisolated(unsafe) private let queue = OwnerQueue(limit: 16, ofEachOwner: 2)

    init(of loop: EventLoop) {
        self.loop = loop
    }

    func groups(of peer: Peer) -> [UInt32]? {
        loop.assumeIsolated { loop in peer.connection.flatMap { loop.groups(of: $0) } }
    }

    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
    ) {
        guard let connection = peer.connection else { return done(nil) }
        loop.assumeIsolated { loop in
            let owner = loop.account(of: peer.userID, .socket).name.owner
            guard queue.waitingCount(of: owner) < Self.waitingLimit else { return done(nil) }
            let outcome = Outcome(done)
            let timer = loop.call(after: Self.limit) { outcome.report(nil) }
            queue.add(for: ConnectionID(rawValue: connection), of: owner, on: loop) {
                // While an inspection waits for its turn it holds no descriptor; if nobody waits for it, it needs none.
                let process = outcome.isReported ? nil : loop.peerSocket(of: connection)?.process()
                let fact = if let process { await Self.fact(of: process, body) } else { nil as Fact? }
                loop.cancel(timer)
                outcome.report(fact)
            }
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
