package import XCallbackEventLoop

/// Lets one line a second through, so that a flood of refusals or failures does not become a flood of lines.
package struct RefusalLog {
    private var nextTime = Duration.zero
    private var count = 0

    /// Creates a log that has noted nothing yet.
    package init() {}

    /// Notes refusals.
    ///
    /// - Parameters:
    ///   - number: How many.
    ///   - now: The time.
    /// - Returns: How many there were since the last line, if it is time for another one.
    package mutating func add(_ number: Int = 1, at now: Duration) -> Int? {
        count += number
        guard isDue(at: now) else { return nil }
        defer { count = 0 }
        nextTime = now + .seconds(1)
        return count
    }

    /// Whether it is time for another line.
    fileprivate func isDue(at now: Duration) -> Bool { now >= nextTime }
}

/// A ``RefusalLog`` for each account, so that a line counts only refusals of the user that it names.
package struct RefusalLogs {
    /// How many accounts it has at least before it forgets those without a line in the last second.
    private static let spareLimit = 256

    private var logs: [AccountName: RefusalLog] = [:]
    private var removalCount = spareLimit

    /// Creates logs that have noted nothing yet.
    package init() {}

    /// How many accounts it knows.
    package var count: Int { logs.count }

    /// Notes refusals of an account.
    ///
    /// - Parameters:
    ///   - number: How many.
    ///   - name: The account.
    ///   - now: The time.
    /// - Returns: How many it had since its last line, if it is time for another one.
    package mutating func add(_ number: Int = 1, of name: AccountName, at now: Duration) -> Int? {
        if logs.count >= removalCount, logs[name] == nil {
            logs = logs.filter { !$0.value.isDue(at: now) }
            removalCount = max(Self.spareLimit, 2 * logs.count)
        }
        return logs[name, default: RefusalLog()].add(number, at: now)
    }
}
