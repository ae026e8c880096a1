import XCallbackEventLoop
import XCallbackPipeline

/// Tells of the processes at the other ends of a loop's connections; it is asked on the loop only.
struct ConnectedPeers: PeerReader {
    let loop: EventLoop

    func groups(of peer: Peer) -> [UInt32]? {
        socket(of: peer).flatMap { try? $0.groups() }
    }

    func withProcess<Result>(of peer: Peer, _ body: (Int32) -> Result?) -> Result? {
        guard let process = socket(of: peer)?.process() else { return nil }
        let result = body(process.id)
        return process.isRunning ? result : nil
    }

    private func socket(of peer: Peer) -> PeerSocket? {
        guard let connection = peer.connection else { return nil }
        return loop.assumeIsolated { $0.peerSocket(of: connection) }
    }
}
