extension Account {
    /// The size of a bucket in bytes, with the free space of a dictionary.
    package static let bucketSize = 48

    /// Counts an event if a rate allows it.
    ///
    /// - Parameters:
    ///   - number: The number of the bucket, which each policy of each route has for itself.
    ///   - now: The current time in nanoseconds.
    ///   - next: Returns when the next event is due, given when this one is; nil if this one is too early.
    /// - Returns: Whether the event is within the rate.
    /// - Throws: ``Excess`` if there is no room for another bucket: buckets in use are never forgotten.
    package func admit(
        to number: UInt64, at now: Int64, next: (_ due: Int64?) -> Int64?
    ) throws(Excess) -> Bool {
        if let index = buckets.index(forKey: number) {
            guard let due = next(buckets.values[index]) else { return false }
            buckets.values[index] = due
            return true
        }
        try makeRoomForBucket(at: now)
        buckets[number] = next(nil)
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
