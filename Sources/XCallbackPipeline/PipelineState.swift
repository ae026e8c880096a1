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
        /// How far ahead of a steady stream the events may be.
        fileprivate let tolerance: Duration

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: The events; at least 1.
        ///   - period: The time; more than zero.
        package init(count: Int, period: Duration) {
            self.count = max(count, 1)
            self.period = period
            interval = period / self.count
            tolerance = period - interval
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

    /// The time of a steady stream's next event, for a key.
    private struct Bucket {
        /// Nil in a slot that is free.
        var key: Key?
        var nextTime = Duration.zero
    }

    /// A table with open addressing, at most half full.
    ///
    /// Its keys come from the configuration and the kernel, so nobody who sends requests can make them collide.
    private var buckets = Array(repeating: Bucket(), count: leastSize)
    private var usedCount = 0
    private static let leastSize = 16

    /// Creates a meter that has counted nothing yet.
    package init() {}

    /// How many buckets are kept.
    package var bucketCount: Int { usedCount }

    /// Counts an event if the rate allows it.
    ///
    /// - Parameters:
    ///   - key: Whose event it is.
    ///   - rate: The rate.
    ///   - now: The time.
    /// - Returns: Whether the event is within the rate.
    package mutating func admit(_ key: Key, _ rate: Rate, at now: Duration) -> Bool {
        let index = slot(of: key)
        let next = max(buckets[index].nextTime, now)
        guard next - now <= rate.tolerance else { return false }
        buckets[index].nextTime = next + rate.interval
        if buckets[index].key == nil { occupy(index, key, at: now) }
        return true
    }

    /// Where a key is, or the free slot where it belongs.
    private func slot(of key: Key) -> Int {
        let mask = buckets.count - 1
        var index = key.spread & mask
        while let other = buckets[index].key, other != key { index = (index + 1) & mask }
        return index
    }

    private mutating func occupy(_ index: Int, _ key: Key, at now: Duration) {
        buckets[index].key = key
        usedCount += 1
        if usedCount * 2 > buckets.count { sweep(at: now) }
    }

    /// Forgets the buckets that are full again, and makes room for as many as there are left.
    private mutating func sweep(at now: Duration) {
        let kept = buckets.filter { $0.key != nil && $0.nextTime > now }
        var size = Self.leastSize
        while size < kept.count * 4 { size *= 2 }
        buckets = Array(repeating: Bucket(), count: size)
        usedCount = kept.count
        for bucket in kept {
            guard let key = bucket.key else { continue }
            buckets[slot(of: key)] = bucket
        }
    }
}

extension RateMeter.Key {
    /// The key as a number whose low bits are well mixed.
    fileprivate var spread: Int {
        let product = (scope ^ UInt64(userID ?? .max)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> 32)
    }
}
