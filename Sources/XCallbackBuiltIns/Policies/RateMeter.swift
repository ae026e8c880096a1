import XCallbackPipeline

/// Counts events against rates, each in a scope and for one user.
///
/// It implements the generic cell rate algorithm (ITU-T I.371), which keeps only the time at which a steady stream
/// would have sent the next event, so a bucket that is full again needs no entry.
package struct RateMeter: StageMemory {
    /// A number of events per period.
    package struct Rate: Hashable, Sendable {
        /// The number of events; all of them can come at once.
        package let count: Int
        /// The period.
        package let period: Duration
        /// The time between two events of a steady stream.
        ///
        /// This and the tolerance are in nanoseconds.
        fileprivate let interval: Int64
        /// The maximum time by which events can be ahead of a steady stream.
        fileprivate let tolerance: Int64

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: The number of events; at least 1.
        ///   - period: The period; more than zero.
        package init(count: Int, period: Duration) {
            self.count = max(count, 1)
            self.period = period
            interval = nanoseconds(period / self.count)
            tolerance = nanoseconds(period) - interval
        }
    }

    /// The owner of events that are counted together.
    package struct Key: Hashable, Sendable {
        /// Identifies a policy among those of all routes; stable across reloads.
        package let scope: UInt64
        /// The user ID; for all users together, one more than the highest.
        fileprivate let user: UInt64

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - scope: Identifies a policy among those of all routes.
        ///   - userID: The user ID; nil if all users share the rate.
        package init(scope: UInt64, userID: UInt32?) {
            self.scope = scope
            user = userID.map(UInt64.init) ?? 1 << 32
        }
    }

    /// The time of a steady stream's next event for a key.
    private struct Bucket {
        var scope: UInt64 = 0
        /// A user ID, or one more than the highest.
        var user = Self.free
        var nextTime: Int64 = 0

        /// Marks a free slot.
        static let free = UInt64.max
    }

    /// A table with open addressing, at most half full.
    ///
    /// The keys come from the configuration and the kernel, so clients cannot make them collide.
    private var buckets = Array(repeating: Bucket(), count: leastSize)
    private var usedCount = 0
    private static let leastSize = 16

    /// Creates a meter without events.
    package init() {}

    /// The number of buckets.
    package var bucketCount: Int { usedCount }

    /// Counts an event if the rate allows it.
    ///
    /// - Parameters:
    ///   - key: The owner of the event.
    ///   - rate: The rate.
    ///   - now: The current time in nanoseconds.
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

    /// Returns the slot of a key, or the free slot for it.
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

    /// Removes the buckets that are full again, and makes room for as many as remain.
    private mutating func sweep(at now: Int64) {
        let kept = buckets.filter { $0.user != Bucket.free && $0.nextTime > now }
        var size = Self.leastSize
        while size < kept.count * 4 { size *= 2 }
        buckets = Array(repeating: Bucket(), count: size)
        usedCount = kept.count
        for bucket in kept { buckets[slot(bucket.scope, bucket.user)] = bucket }
    }
}
