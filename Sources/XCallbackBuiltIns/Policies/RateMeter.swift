import XCallbackPipeline

/// Counts events against rates, each in a scope and for one user.
///
/// The algorithm is the generic cell rate algorithm (ITU-T I.371): all that is kept is the time at which a steady
/// stream would have sent the next event, so a bucket that is full again is the same as none.
package struct RateMeter: StageMemory {
    /// How many events may happen in a time.
    package struct Rate: Hashable, Sendable {
        /// The events; as many may come at once.
        package let count: Int
        /// The time.
        package let period: Duration
        /// The time between two events of a steady stream.
        ///
        /// Both are nanoseconds.
        fileprivate let interval: Int64
        /// How far ahead of a steady stream the events may be.
        fileprivate let tolerance: Int64

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: The events; at least 1.
        ///   - period: The time; more than zero.
        package init(count: Int, period: Duration) {
            self.count = max(count, 1)
            self.period = period
            interval = nanoseconds(period / self.count)
            tolerance = nanoseconds(period) - interval
        }
    }

    /// Whose events are counted together.
    package struct Key: Hashable, Sendable {
        /// Tells the policies of all routes apart, and is the same after a reload.
        package let scope: UInt64
        /// The number of the user; all users together are one beyond the last.
        fileprivate let user: UInt64

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - scope: What tells the policies of all routes apart.
        ///   - userID: The user, or nil where all users share the rate.
        package init(scope: UInt64, userID: UInt32?) {
            self.scope = scope
            user = userID.map(UInt64.init) ?? 1 << 32
        }
    }

    /// The time of a steady stream's next event, for a key.
    private struct Bucket {
        var scope: UInt64 = 0
        /// A user's number, or one beyond all of them.
        var user = Self.free
        var nextTime: Int64 = 0

        /// Stands for no user: the slot is free.
        static let free = UInt64.max
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
    ///   - now: The time, in nanoseconds.
    /// - Returns: Whether the event is within the rate.
    package mutating func admit(_ key: Key, _ rate: Rate, at now: Int64) -> Bool {
        let index = slot(key.scope, key.user)
        let bucket = buckets[index]
        let next = max(bucket.nextTime, now)
        guard next - now <= rate.tolerance else { return false }
        buckets[index].nextTime = next + rate.interval
        if bucket.user == Bucket.free { occupy(index, key, at: now) }
        return true
    }

    /// Where a key is, or the free slot where it belongs.
    @inline(__always)
    private func slot(_ scope: UInt64, _ user: UInt64) -> Int {
        let mask = buckets.count - 1
        // The low bits of the number are well mixed.
        var index = Int(truncatingIfNeeded: ((scope ^ user) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while buckets[index].user != Bucket.free, buckets[index].scope != scope || buckets[index].user != user {
            index = (index + 1) & mask
        }
        return index
    }

    private mutating func occupy(_ index: Int, _ key: Key, at now: Int64) {
        buckets[index].scope = key.scope
        buckets[index].user = key.user
        usedCount += 1
        if usedCount * 2 > buckets.count { sweep(at: now) }
    }

    /// Forgets the buckets that are full again, and makes room for as many as there are left.
    private mutating func sweep(at now: Int64) {
        let kept = buckets.filter { $0.user != Bucket.free && $0.nextTime > now }
        var size = Self.leastSize
        while size < kept.count * 4 { size *= 2 }
        buckets = Array(repeating: Bucket(), count: size)
        usedCount = kept.count
        for bucket in kept { buckets[slot(bucket.scope, bucket.user)] = bucket }
    }
}
