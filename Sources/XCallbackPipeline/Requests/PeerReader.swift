/// What can be told of the process at the other end of a connection, beside what every request brings along.
///
/// It is read when a policy asks, as most requests meet no policy that does.
package protocol PeerReader: Sendable {
    /// The supplementary groups that a peer had when it connected; nil if they cannot be told.
    func groups(of peer: Peer) -> [UInt32]?

    /// Calls a function with the number of a peer's process, beside the loop that serves the peer.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - body: Reads what the system tells of the process under that number; a disk may keep it waiting.
    ///   - done: Called once with what the function returned; with nil if that took too long, or if the process had
    ///     ended by then, so that the number may have been another one's.
    func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void)
}
