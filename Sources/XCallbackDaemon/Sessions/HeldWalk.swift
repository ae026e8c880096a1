import XCallbackPipeline

/// A walk that waits, where it stays until it goes on: it is large, and would be moved with each step.
final class HeldWalk {
    var walk = Walk(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
}
