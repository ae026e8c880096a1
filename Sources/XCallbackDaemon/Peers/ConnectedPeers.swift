import Dispatch
import XCallbackEventLoop
import XCallbackPipeline

/// Reads facts about the peers of a loop's connections; used on the loop only.
struct ConnectedPeers: PeerReader {
    let loop: EventLoop

    func groups(of peer: Peer) -> [UInt32]? {
        loop.assumeIsolated { loop in peer.connection.flatMap { loop.groups(of: $0) } }
    }

    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
    ) {
        loop.assumeIsolated { $0.look(into: peer, body, done: done) }
    }
}

/// Reads facts about the peer of one connection; used outside the loop, and blocks its thread.
struct ExplainedPeer: PeerReader {
    private let loop: EventLoop
    private let peer: Peer
    private let groups: [UInt32]?

    /// Starts with the facts that are available at once.
    init(_ peer: Peer, on loop: isolated EventLoop) {
        self.loop = loop
        self.peer = peer
        groups = peer.connection.flatMap { loop.groups(of: $0) }
    }

    func groups(of peer: Peer) -> [UInt32]? {
        peer == self.peer ? groups : nil
    }

    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
    ) {
        let isDone = DispatchSemaphore(value: 0)
        Task(executorPreference: loop.executor) { [loop] in
            await loop.look(into: peer, body) { fact in
                done(fact)
                isDone.signal()
            }
        }
        isDone.wait()
    }
}

extension EventLoop {
    fileprivate func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
    ) {
        guard let connection = peer.connection else { return done(nil) }
        let looks = resident { PeerLooks() }
        looks.look(
            into: connection, of: account(of: peer.userID, .socket).name.owner, on: self, body, done: done)
    }
}
