package import XCallbackLinux

/// A program to run: its input, and how its output is handled.
package struct ChildCommand: Sendable {
    /// How the program's standard output is handled.
    package enum Output: Hashable, Sendable {
        /// It is discarded.
        case discarded
        /// It is kept, up to a number of bytes; a program that writes more is ended.
        case kept(limit: Int)
    }

    /// The program and its arguments; a program without a slash is looked up in the loop's own `PATH`.
    ///
    /// No text contains a NUL, which would end it.
    package var arguments: [[UInt8]]
    /// The complete environment, as `NAME=value`.
    package var environment: [[UInt8]]
    /// The names of the variables that the configuration sets; their values must not change.
    package var chosenVariables: [String] = []
    /// The working directory, as an absolute path; nil for that of this process.
    package var folder: [UInt8]?
    /// The bytes of standard input.
    package var input: [UInt8]
    /// How standard output is handled.
    package var output = Output.discarded
    /// Whether the program is detached: in a session of its own, not waited for and not ended by the loop.
    ///
    /// Its output is discarded.
    package var isDetached = false
    /// The scope of the service manager to which the program moves its process before anything else; nil for none.
    ///
    /// If the process does not get there, the program counts as not started.
    package var scope: String?

    /// Creates a command.
    package init(arguments: [[UInt8]], environment: [[UInt8]] = [], input: [UInt8] = []) {
        self.arguments = arguments
        self.environment = environment
        self.input = input
    }
}

/// The maximum number of programs of a group that run at a time, and of an account among them.
package struct ChildQuota: Hashable, Sendable {
    /// The maximum number of programs of the group is running.
    package struct Excess: Error {
        /// Who has reached the limit.
        package let holder: Holder
        /// The limit.
        package let limit: Int
    }

    /// The group of programs.
    fileprivate let group: String
    /// The maximum number that run at a time.
    package let limit: Int
    /// The account of the program.
    fileprivate var account: AccountName?
    /// The maximum number of the account's programs.
    fileprivate var accountLimit = Int.max
    /// Whether the account's owner is neither the daemon's own user nor root.
    fileprivate var isOfOtherUser = false

    /// Creates a quota.
    ///
    /// - Parameters:
    ///   - group: The group of programs.
    ///   - limit: The maximum number that run at a time.
    package init(group: String, limit: Int) {
        self.group = group
        self.limit = limit
    }

    /// Returns the quota for the programs of an account, with the account's share.
    package func shared(by account: Account) -> ChildQuota {
        var quota = self
        quota.account = account.name
        quota.accountLimit = account.share(of: limit)
        quota.isOfOtherUser = account.isOfOtherUser
        return quota
    }
}

/// The numbers of running programs, by their quotas.
struct ChildCounts {
    private var counts: [ChildQuota: Int] = [:]

    /// Counts a program if its quota allows another one.
    mutating func take(_ quota: ChildQuota) throws(ChildQuota.Excess) {
        let group = counts.filter { $0.key.group == quota.group }
        if let account = quota.account {
            try check(.account(account), quota.accountLimit, group.filter { $0.key.account == account })
        }
        if quota.isOfOtherUser {
            try check(.otherUsers, Share.most(of: quota.limit), group.filter { $0.key.isOfOtherUser })
        }
        try check(.allUsers, quota.limit, group)
        counts[quota, default: 0] += 1
    }

    private func check(
        _ holder: Holder, _ limit: Int, _ counts: [ChildQuota: Int]
    ) throws(ChildQuota.Excess) {
        guard counts.values.reduce(0, +) < limit else { throw ChildQuota.Excess(holder: holder, limit: limit) }
    }

    mutating func give(_ quota: ChildQuota) {
        let count = counts[quota, default: 0] - 1
        counts[quota] = count > 0 ? count : nil
    }
}

/// The result of a program.
package struct ChildResult: Hashable, Sendable {
    /// How it ended.
    package let ending: SpawnedProcess.Ending
    /// The standard output that was kept.
    package let output: [UInt8]
    /// Whether it exceeded the output limit and was ended.
    package let exceededOutput: Bool
    /// The last bytes of standard error.
    package let errors: [UInt8]
    /// The unit of a service manager in which it ran, if any.
    package var unit: String?
    /// What a program that reports a missing display needs; nil if it had one.
    package var hint: String?

    /// Creates the result of a program that another process ran.
    package init(ending: SpawnedProcess.Ending, output: [UInt8], exceededOutput: Bool, errors: [UInt8]) {
        self.ending = ending
        self.output = output
        self.exceededOutput = exceededOutput
        self.errors = errors
    }
}

/// Identifies a program of a loop; never reused.
package struct ChildID: Hashable, Sendable {
    /// A number that is unique among the programs of the loop.
    package let number: UInt64
}
