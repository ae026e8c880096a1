/// What can be told of the process at the other end of a connection, beside what every request brings along.
///
/// It is read when a policy asks, as most requests meet no policy that does.
package protocol PeerReader: Sendable {
    /// The supplementary groups that a peer had when it connected; nil if they cannot be told.
    func groups(of peer: Peer) -> [UInt32]?

    /// Calls a function with the number of a peer's process.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - body: Reads what the system tells of the process under that number.
    /// - Returns: What the function returned; nil if the process had ended by then, so that the number may have been
    ///   another one's.
    func withProcess<Result>(of peer: Peer, _ body: (Int32) -> Result?) -> Result?
}
