package import XCallbackURL

/// The memory of stages between requests; its owner passes it along.
@usableFromInline
package struct PipelineState: Sendable {
    /// The time of a monotonic clock, at the start of the current batch of requests.
    package var now: Duration { .nanoseconds(time) }
    /// The same time in nanoseconds.
    package var time: Int64 = 0
    /// The ID of the last request; nil outside of a daemon.
    package var lastID: RequestID?
    /// Reads more facts about peers; nil if there is no such reader.
    package var peers: PeerReader?
    /// Publishes the parameters of a request to a topic; nil if there can be no subscribers.
    ///
    /// Returns the number of subscribers that it reaches; the error means that too many deliveries are pending.
    package var publish: (@Sendable (_ request: Request, _ topic: String) -> Result<Int, CallbackError>)?
    /// The number of subscribers reached since this was last read.
    package var reachedCount = 0
    /// The memory of the stages, by type; there are few.
    @usableFromInline var memories: [StoredMemory] = []

    /// Creates the state of a router without any requests yet.
    package init() {}

    /// Returns the ID of the next request.
    @inline(__always)
    package mutating func nextID() -> RequestID? {
        lastID = lastID?.next
        return lastID
    }
}
