import XCallbackPipeline

/// A request whose handler, or another stage, is async.
struct WaitingRequest: ~Copyable {
    let answer: PendingAnswer
    let held: HeldWalk
    let pipeline: Pipeline
    /// When it times out, while that time runs.
    var deadline: Duration
    var task: Task<Void, Never>?
    /// Its number for clients that watch.
    let number: Int
    /// When it began to wait.
    let start: Duration
    /// Whether the walk has come to its end.
    var isDone = false
}

/// A walk that waits, where it stays until it goes on: it is large, and would be moved with each step.
final class HeldWalk {
    var walk = Walk(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
}
