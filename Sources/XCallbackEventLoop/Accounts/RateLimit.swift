import XCallbackWire

/// A number of events per period.
///
/// Events are admitted by the generic cell rate algorithm (ITU-T I.371), which keeps only the time at which a steady stream
/// would have sent the next event.
package struct RateLimit: Hashable, Sendable {
    /// The number of events; all of them can come at once.
    package let count: Int
    /// The period.
    package let period: Duration
    /// The time between two events of a steady stream, in nanoseconds.
    private let interval: Int64
    /// The maximum time by which events can be ahead of a steady stream, in nanoseconds.
    private let tolerance: Int64

    /// Creates a rate.
    ///
    /// - Parameters:
    ///   - count: The number of events; at least 1.
    ///   - period: The period; more than zero.
    package init(count: Int, period: Duration) {
        self.count = max(count, 1)
        self.period = period
        interval = (period / self.count).wholeNanoseconds
        tolerance = period.wholeNanoseconds - interval
    }

    /// Admits an event.
    ///
    /// - Parameters:
    ///   - due: When this event is due; nil if there was none before.
    ///   - now: The current time in nanoseconds.
    /// - Returns: When the next event is due; nil if this one is too early.
    package func next(after due: Int64?, at now: Int64) -> Int64? {
        let due = max(due ?? now, now)
        return due - now <= tolerance ? due + interval : nil
    }
}

extension Account {
    /// The size of a bucket in bytes, with the free space of a dictionary.
    package static let bucketSize = 48

    /// Counts an event if a rate allows it.
    ///
    /// - Parameters:
    ///   - number: The number of the bucket, which each policy of each route has for itself.
    ///   - rate: The rate.
    ///   - now: The current time in nanoseconds.
    /// - Returns: Whether the event is within the rate.
    /// - Throws: ``Excess`` if there is no room for another bucket: buckets in use are never forgotten.
    package func admit(to number: UInt64, _ rate: RateLimit, at now: Int64) throws(Excess) -> Bool {
        if let index = buckets.index(forKey: number) {
            guard let next = rate.next(after: buckets.values[index], at: now) else { return false }
            buckets.values[index] = next
            return true
        }
        try makeRoomForBucket(at: now)
        buckets[number] = rate.next(after: nil, at: now)
        return true
    }

    private func makeRoomForBucket(at now: Int64) throws(Excess) {
        do throws(Excess) {
            try take(.bytes, Self.bucketSize)
        } catch {
            removeFullBuckets(at: now)
            try take(.bytes, Self.bucketSize)
        }
    }

    /// Forgets the buckets that are full again: no event counts any more.
    func removeFullBuckets(at now: Int64) {
        let rest = buckets.filter { $0.value > now }
        give(.bytes, (buckets.count - rest.count) * Self.bucketSize)
        buckets = rest
    }
}
