package import XCallbackEventLoop

/// Allows one log line per second, so that a flood of rejections or failures does not flood the log.
package struct RefusalLog {
    private var nextTime = Duration.zero
    private var count = 0

    /// Creates a log without rejections.
    package init() {}

    /// Records rejections.
    ///
    /// - Parameters:
    ///   - number: The number of rejections.
    ///   - now: The current time.
    /// - Returns: The number of rejections since the last line, if the next line is due.
    package mutating func add(_ number: Int = 1, at now: Duration) -> Int? {
        count += number
        guard isDue(at: now) else { return nil }
        defer { count = 0 }
        nextTime = now + .seconds(1)
        return count
    }

    /// Whether the next line is due.
    fileprivate func isDue(at now: Duration) -> Bool { now >= nextTime }
}

/// A ``RefusalLog`` per account, so that a line counts only the rejections of the user that it names.
package struct RefusalLogs {
    /// The number of accounts above which those without a line in the last second are removed.
    private static let spareLimit = 256

    private var logs: [AccountName: RefusalLog] = [:]
    private var removalCount = spareLimit

    /// Creates logs without rejections.
    package init() {}

    /// The number of recorded accounts.
    package var count: Int { logs.count }

    /// Records rejections of an account.
    ///
    /// - Parameters:
    ///   - number: The number of rejections.
    ///   - name: The account.
    ///   - now: The current time.
    /// - Returns: The number of the account's rejections since its last line, if the next line is due.
    package mutating func add(_ number: Int = 1, of name: AccountName, at now: Duration) -> Int? {
        if logs.count >= removalCount, logs[name] == nil {
            logs = logs.filter { !$0.value.isDue(at: now) }
            removalCount = max(Self.spareLimit, 2 * logs.count)
        }
        return logs[name, default: RefusalLog()].add(number, at: now)
    }
}
