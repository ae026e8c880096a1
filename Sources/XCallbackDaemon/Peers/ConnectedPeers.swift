import XCallbackEventLoop
import XCallbackPipeline

/// Reads facts about the peers of a loop's connections; used on the loop only.
struct ConnectedPeers: PeerReader {
    let loop: EventLoop
    /// Lives on the loop, on which this value is used only.
    nonisolated(unsafe) private let inspections = PeerInspections()

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
            inspections.inspect(connection, of: owner, on: loop, body, done: done)
        }
    }
}
