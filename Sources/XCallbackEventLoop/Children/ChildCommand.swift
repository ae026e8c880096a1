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
    /// Whether the program is detached: in a session of its own, waited for only a moment, and not ended by the loop.
    ///
    /// Its output is discarded.
    package var isDetached = false
    /// What the program is called where something is left of it.
    package var title = ""
    /// Called on the loop with what is written to standard error once no caller waits for it.
    package var report: (@Sendable (ArraySlice<UInt8>) -> Void)?
    /// Whether the lines of standard error are the progress of its request.
    package var reportsProgress = false
    /// Called on the loop with the newest complete line of standard error, while the program runs and its caller waits.
    package var progress: (@Sendable ([UInt8]) -> Void)?
    /// The scope of the service manager to which the program moves its process before anything else; nil for none.
    ///
    /// If the process does not get there, the program counts as not started.
    package var scope: String?
    /// The scope of the user's service manager, without its suffix, to which what the program leaves behind moves; nil if it
    /// stays in the unit of this process.
    package var scopeOfLeft: String?

    /// Creates a command.
    package init(arguments: [[UInt8]], environment: [[UInt8]] = [], input: [UInt8] = []) {
        self.arguments = arguments
        self.environment = environment
        self.input = input
    }
}

/// The maximum number of programs of a group is running.
package struct ChildExcess: Error {
    /// Who has reached the limit.
    package let holder: Holder
    /// The limit.
    package let limit: Int
}

/// The numbers of running programs, by their groups and accounts.
struct ChildCounts {
    private struct Key: Hashable {
        let group: String
        let account: AccountName
        let isOfOtherUser: Bool
    }

    private var counts: [Key: Int] = [:]

    /// Counts a program if all are within their shares of a limit: its account, all other users, and all users.
    mutating func take(_ group: String, atMost limit: Int, by account: Account) throws(ChildExcess) {
        let all = counts.filter { $0.key.group == group }
        try check(.account(account.name), account.share(of: limit), all.filter { $0.key.account == account.name })
        if account.isOfOtherUser {
            try check(.otherUsers, Share.most(of: limit), all.filter { $0.key.isOfOtherUser })
        }
        try check(.allUsers, limit, all)
        counts[Self.key(group, account), default: 0] += 1
    }

    private func check(_ holder: Holder, _ limit: Int, _ counts: [Key: Int]) throws(ChildExcess) {
        guard counts.values.reduce(0, +) < limit else { throw ChildExcess(holder: holder, limit: limit) }
    }

    mutating func give(_ group: String, by account: Account) {
        let key = Self.key(group, account)
        let count = counts[key, default: 0] - 1
        counts[key] = count > 0 ? count : nil
    }

    private static func key(_ group: String, _ account: Account) -> Key {
        Key(group: group, account: account.name, isOfOtherUser: account.isOfOtherUser)
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
    /// Identifies what it has left behind; nil for nothing.
    package internal(set) var left: ChildID?
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
