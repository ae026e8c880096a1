/// Facts about the process at the other end of a connection, in addition to those of every request.
///
/// They are read on demand, because most requests meet no policy that needs them.
package protocol PeerReader: Sendable {
    /// The supplementary groups of a peer when it connected; nil if unknown.
    func groups(of peer: Peer) -> [UInt32]?

    /// Calls a function with the process number of a peer, off the loop that serves the peer.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - body: Reads facts about the process with that number; may block on a disk.
    ///   - done: Called once with the result of the function; with nil if it timed out, or if the process had ended by
    ///     then, because its number may have been reused.
    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void)
}
