import XCallbackEventLoop
import XCallbackPipeline

extension PeerReader {
    /// Creates a reader of facts about the peers of a loop's connections; it is used on the loop only.
    init(of loop: EventLoop) {
        // Lives on the loop.
        nonisolated(unsafe) let inspections = PeerInspections()
        self.init { peer in
            loop.assumeIsolated { loop in peer.connection.flatMap { loop.groups(of: $0) } }
        } inspection: { peer, body, done in
            guard let connection = peer.connection else { return done(nil) }
            loop.assumeIsolated { loop in
                let owner = loop.account(of: peer.userID, .socket).name.owner
                inspections.inspect(connection, of: owner, on: loop, body, done: done)
            }
        }
    }
}
