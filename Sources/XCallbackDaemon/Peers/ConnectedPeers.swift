import XCallbackEventLoop
import XCallbackPipeline

/// Tells of the processes at the other ends of a loop's connections; it is asked on the loop only.
struct ConnectedPeers: PeerReader {
    let loop: EventLoop

    func groups(of peer: Peer) -> [UInt32]? {
        socket(of: peer).flatMap { try? $0.groups() }
    }

    func withProcess<Result>(of peer: Peer, _ body: (Int32) -> Result?) -> Result? {
        socket(of: peer)?.withProcess(body)
    }

    private func socket(of peer: Peer) -> PeerSocket? {
        guard let connection = peer.connection else { return nil }
        return loop.assumeIsolated { $0.peerSocket(of: connection) }
    }
}

/// Tells of one process, whose connection it holds; it may be asked anywhere.
struct HeldPeer: PeerReader {
    private let peer: Peer
    private let held: HeldPeerSocket

    /// Holds the connection of a peer; nil if that is gone.
    init?(_ peer: Peer, on loop: isolated EventLoop) {
        guard let connection = peer.connection, let socket = loop.peerSocket(of: connection),
            let held = try? HeldPeerSocket(socket)
        else { return nil }
        self.peer = peer
        self.held = held
    }

    func groups(of peer: Peer) -> [UInt32]? {
        peer == self.peer ? try? held.socket.groups() : nil
    }

    func withProcess<Result>(of peer: Peer, _ body: (Int32) -> Result?) -> Result? {
        peer == self.peer ? held.socket.withProcess(body) : nil
    }
}

extension PeerSocket {
    /// Calls a function with the number of the process; nil if that had ended by then.
    fileprivate func withProcess<Result>(_ body: (Int32) -> Result?) -> Result? {
        guard let process = process() else { return nil }
        let result = body(process.id)
        return process.isRunning ? result : nil
    }
}
