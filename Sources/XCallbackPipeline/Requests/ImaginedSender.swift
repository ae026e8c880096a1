/// The sender of a request that is only explained: no process is connected.
package struct ImaginedSender: PeerReader {
    /// The user and the primary group, without a process.
    package let peer: Peer
    private let groupIDs: [UInt32]

    /// Creates the sender for a user.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - groupIDs: The groups, the primary one first.
    package init(userID: UInt32, groupIDs: [UInt32]) {
        peer = Peer(userID: userID, groupID: groupIDs.first ?? .max, processID: 0)
        self.groupIDs = groupIDs
    }

    package func groups(of peer: Peer) -> [UInt32]? { groupIDs }

    package func look<Fact: Sendable>(
        into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
    ) { done(nil) }
}
