/// A program to run: what it is given, and what is kept of what it writes.
package struct ChildCommand: Sendable {
    /// What becomes of the program's standard output.
    package enum Output: Hashable, Sendable {
        /// It goes nowhere.
        case discarded
        /// It is kept, up to a number of bytes; a program that writes more is ended.
        case kept(limit: Int)
    }

    /// The program, then its arguments; a program without a slash is looked for in the loop's own `PATH`.
    ///
    /// No text holds a NUL, which would end it.
    package var arguments: [[UInt8]]
    /// The whole environment, as `NAME=value`.
    package var environment: [[UInt8]]
    /// The names of the variables that the configuration sets, and nothing else may change.
    package var chosenVariables: [String] = []
    /// The folder in which it runs, from `/` on; that of this process if it is nil.
    package var folder: [UInt8]?
    /// What it reads from standard input.
    package var input: [UInt8]
    /// What becomes of its standard output.
    package var output = Output.discarded
    /// Whether it lives on its own: in its own session, and nobody waits for it or ends it.
    ///
    /// What it writes goes nowhere.
    package var isDetached = false

    /// Creates a command.
    package init(arguments: [[UInt8]], environment: [[UInt8]] = [], input: [UInt8] = []) {
        self.arguments = arguments
        self.environment = environment
        self.input = input
    }
}

/// How many programs of a group may run at a time.
package struct ChildQuota: Hashable, Sendable {
    /// As many programs of the group run as may.
    package struct Excess: Error {
        /// The account that has its share; nil if all together have reached the limit.
        package let account: AccountName?
        /// How many may run.
        package let limit: Int
    }

    /// Whose programs are counted together.
    let group: String
    /// How many of them may run.
    package let limit: Int
    /// The account that a program is run for, and how many of it may run.
    private(set) var share: Share?

    struct Share: Hashable, Sendable {
        let account: AccountName
        let limit: Int
    }

    /// Creates a quota.
    ///
    /// - Parameters:
    ///   - group: Whose programs are counted together.
    ///   - limit: How many of them may run.
    package init(group: String, limit: Int) {
        self.group = group
        self.limit = limit
    }

    /// The quota for the programs of an account, which may run as large a share of these programs as of all programs.
    package func shared(by account: Account) -> ChildQuota {
        var quota = self
        quota.share = Share(account: account.name, limit: account.share(of: .processes, as: limit))
        return quota
    }
}

/// How a program has ended, and what it has left behind.
package struct ChildResult: Hashable, Sendable {
    /// How a program ends.
    package enum Ending: Hashable, Sendable {
        /// By itself, with a status.
        case exited(status: Int32)
        /// By a signal.
        case killed(signal: Int32)
    }

    /// How it has ended.
    package let ending: Ending
    /// Its standard output, as far as it is kept.
    package let output: [UInt8]
    /// Whether it wrote more than is kept, and was ended for it.
    package let exceededOutput: Bool
    /// The last bytes of its standard error.
    package let errors: [UInt8]
    /// The unit of a service manager that was made for it, if one was.
    package var unit: String?

    /// Creates the end of a program that somebody else has run.
    package init(ending: Ending, output: [UInt8], exceededOutput: Bool, errors: [UInt8]) {
        self.ending = ending
        self.output = output
        self.exceededOutput = exceededOutput
        self.errors = errors
    }
}

/// Names a program that a loop runs; never used again for another one.
package struct ChildID: Hashable, Sendable {
    /// A number that no other program of the loop has.
    package let number: UInt64
}
