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
