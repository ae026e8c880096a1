/// What stages remember between requests; its owner passes it along.
@usableFromInline
package struct PipelineState: Sendable {
    /// The time on a clock that only goes forward, as of the current batch of requests.
    package var now: Duration {
        get { .nanoseconds(time) }
        set { time = nanoseconds(newValue) }
    }
    /// The same time in nanoseconds.
    package var time: Int64 = 0
    /// What the last request is called; nil outside of a daemon.
    package var lastID: RequestID?
    /// What can tell more of the peers; nil if nothing can.
    package var peers: (any PeerReader)?
    /// What has subscribers; nil if nothing has.
    package var publisher: (any Publisher)?
    /// How many were reached by what was published since that was looked at last.
    package var reachedCount = 0
    /// What the stages remember, by type; there are few.
    @usableFromInline var memories: [StoredMemory] = []

    /// Creates the state of a router that has seen nothing yet.
    package init() {}

    /// What the next request is called.
    @inline(__always)
    package mutating func nextID() -> RequestID? {
        lastID = lastID?.next
        return lastID
    }
}

/// A duration in whole nanoseconds; one of more than a century counts as a century.
package func nanoseconds(_ duration: Duration) -> Int64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = duration.components
    return min(max(seconds, 0), century) * 1_000_000_000 + attoseconds / 1_000_000_000
}
