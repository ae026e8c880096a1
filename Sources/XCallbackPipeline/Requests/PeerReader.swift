/// Facts about the process at the other end of a connection, beyond those of every request.
///
/// They are read on demand, because most requests meet no policy that needs them.
package protocol PeerReader: Sendable {
    /// The supplementary groups of a peer when it connected; nil if unknown.
    func groups(of peer: Peer) -> [UInt32]?

    /// Calls a function with the process ID of a peer, off the loop that serves the peer.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - body: Reads facts about the process with that ID; may block on a disk.
    ///   - done: Called once with the result of the function; with nil after a timeout, or if the process had ended by
    ///     then, because its ID may have been reused.
    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void)
}
