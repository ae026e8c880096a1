/// Lets one line a second through, so that a flood of refusals or failures does not become a flood of lines.
package struct RefusalLog {
    private var nextTime = Duration.zero
    private var count = 0

    /// Creates a log that has noted nothing yet.
    package init() {}

    /// Notes a refusal.
    ///
    /// - Parameter now: The time.
    /// - Returns: How many there were since the last line, if it is time for another one.
    package mutating func add(at now: Duration) -> Int? {
        count += 1
        guard now >= nextTime else { return nil }
        defer { count = 0 }
        nextTime = now + .seconds(1)
        return count
    }
}
