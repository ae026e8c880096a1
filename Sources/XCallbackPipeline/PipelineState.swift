/// What stages remember between requests; its owner passes it along.
public struct PipelineState: Sendable {
    /// The time on a clock that only goes forward, as of the current batch of requests.
    public package(set) var now: Duration = .zero
    /// How much of each rate is used up; it outlives a reload of the routes.
    package var rates = RateMeter()

    /// Creates the state of a router that has seen nothing yet.
    public init() {}
}

/// Counts events against rates, each in a scope and for one user.
///
/// The algorithm is the generic cell rate algorithm (ITU-T I.371): all that is kept is the time at which a steady
/// stream would have sent the next event, so a bucket that is full again is the same as none.
package struct RateMeter: Sendable {
    /// How many events may happen in a time.
    package struct Rate: Hashable, Sendable {
        /// The events; as many may come at once.
        package let count: Int
        /// The time.
        package let period: Duration
        /// The time between two events of a steady stream.
        fileprivate let interval: Duration

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: The events; at least 1.
        ///   - period: The time; more than zero.
        package init(count: Int, period: Duration) {
            self.count = max(count, 1)
            self.period = period
            interval = period / self.count
        }
    }

    /// Whose events are counted together.
    package struct Key: Hashable, Sendable {
        /// Tells the policies of all routes apart, and is the same after a reload.
        package let scope: UInt64
        /// The user, or nil where all users share the rate.
        package let userID: UInt32?

        /// Creates a key.
        package init(scope: UInt64, userID: UInt32?) {
            self.scope = scope
            self.userID = userID
        }
    }

    private var nextTimes: [Key: Duration] = [:]
    private var sweepCount = 1024

    /// Creates a meter that has counted nothing yet.
    package init() {}

    /// How many buckets are kept.
    package var bucketCount: Int { nextTimes.count }

    /// Counts an event if the rate allows it.
    ///
    /// - Parameters:
    ///   - key: Whose event it is.
    ///   - rate: The rate.
    ///   - now: The time.
    /// - Returns: Whether the event is within the rate.
    package mutating func admit(_ key: Key, _ rate: Rate, at now: Duration) -> Bool {
        let next = max(nextTimes[key] ?? now, now)
        guard next - now <= rate.period - rate.interval else { return false }
        if nextTimes.count >= sweepCount { sweep(at: now) }
        nextTimes[key] = next + rate.interval
        return true
    }

    /// Forgets the buckets that are full again.
    private mutating func sweep(at now: Duration) {
        nextTimes = nextTimes.filter { $0.value > now }
        sweepCount = max(1024, nextTimes.count * 2)
    }
}
