import Glibc

/// A program to run in a unit of its own.
package struct UnitCommand {
    /// The name of the unit, which is unique.
    package let name: String
    /// The path of the program.
    package var path: [UInt8]
    /// The arguments, including the program's name.
    package var arguments: [[UInt8]]
    /// The complete environment, as `NAME=value`.
    package var environment: [[UInt8]]
    /// The title of the unit, for people.
    package var title: String
    /// The working directory.
    package var folder: [UInt8]?
    /// Whether the program must not run in another directory.
    let needsFolder: Bool
    /// Whether the program and all that it starts live on their own; if false, the unit ends with the program.
    package var isDetached: Bool
    /// The time after which the program is ended in any case; nil for no limit.
    package var limit: Duration?

    /// How long a program may take to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.seconds(2)
    /// The maximum number of processes and threads in the unit of a program whose result a client awaits.
    private static let taskLimit: UInt64 = 512
    /// The exit status of a process that could not execute the program (EXIT_EXEC, systemd.exec(5)).
    private static let notExecuted: Int32 = 203
    /// The exit status of a process that could not change to its directory (EXIT_CHDIR).
    private static let notInFolder: Int32 = 200
    /// The variables that a unit adds to its environment unless they are unset (systemd.exec(5)).
    private static let ownVariables = [
        "HOME", "INVOCATION_ID", "JOURNAL_STREAM", "LANG", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
        "LISTEN_PIDFDID", "LOGNAME", "MANAGERPID", "MANAGERPIDFDID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
        "NOTIFY_SOCKET",
        "SHELL", "SYSTEMD_EXEC_PID", "TERM", "USER",
    ]

    /// Creates a command.
    package init(
        path: [UInt8], arguments: [[UInt8]], environment: [[UInt8]], title: String, folder: [UInt8]?,
        needsFolder: Bool = false, isDetached: Bool, limit: Duration?
    ) {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        name = "xcallback-program-\(String(repeating: "0", count: 16 - digits.utf8.count))\(digits).service"
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.title = title
        self.folder = folder
        self.needsFolder = needsFolder
        self.isDetached = isDetached
        self.limit = limit
    }

    /// Returns why a process that was not seen running has exited with a status; nil if the status is the program's own.
    func failure(endingWith status: Int32) -> BusFailure? {
        switch status {
        case Self.notExecuted: BusFailure(call: "execve by the user's service manager", code: ENOEXEC)
        case Self.notInFolder where needsFolder:
            BusFailure(call: "chdir by the user's service manager", code: ENOENT)
        default: nil
        }
    }

    /// Writes the properties of the unit (org.freedesktop.systemd1(5), systemd.service(5)).
    ///
    /// - Parameters:
    ///   - message: The call that creates the unit.
    ///   - streams: The descriptors of the standard streams; nil for `/dev/null`.
    ///   - variables: The manager's own variables, as `NAME=value`; the program gets only those that the command names.
    func append(
        to message: BusMessage, _ streams: (input: Int32, output: Int32?, errors: Int32?), without variables: [[UInt8]]
    ) {
        func text(_ name: String, _ value: String) { message.property(name, "s") { message.append(value) } }
        func flag(_ name: String, _ value: Bool) {
            message.property(name, "b") { message.append(Int32(value ? 1 : 0), as: BusType.boolean) }
        }
        func size(_ name: String, _ value: UInt64) {
            message.property(name, "t") { message.append(value, as: BusType.size) }
        }
        func texts(_ name: String, _ value: [[UInt8]]) { message.property(name, "as") { message.append(value) } }
        func stream(_ name: String, _ descriptor: Int32?) {
            guard let descriptor else { return text(name, "null") }
            message.property("\(name)FileDescriptor", "h") {
                message.append(descriptor, as: BusType.descriptor)
            }
        }
        text("Description", title)
        text("Slice", "app-xcallbackd.slice")
        text("CollectMode", "inactive-or-failed")
        // The unit stays until its exit status is reported, and this connection receives its signals.
        flag("AddRef", true)
        text("Type", "exec")
        appendProgram(to: message)
        if let folder {
            let mark = needsFolder ? [] : [UInt8(ascii: "-")]
            message.property("WorkingDirectory", "s") { message.append(mark + folder) }
        }
        texts("Environment", environment)
        texts("UnsetEnvironment", unwanted(variables))
        flag("IgnoreSIGPIPE", false)
        stream("StandardInput", streams.input)
        stream("StandardOutput", streams.output)
        stream("StandardError", streams.errors)
        size("TimeoutStopUSec", Self.microseconds(Self.grace))
        flag("MemoryAccounting", true)
        flag("TasksAccounting", true)
        if isDetached {
            // Background processes of the program continue, as they would without a unit.
            text("ExitType", "cgroup")
        } else {
            size("TasksMax", Self.taskLimit)
        }
        if let limit { size("RuntimeMaxUSec", Self.microseconds(limit)) }
        // The caller handles the exit of the program; the journal gets only the errors that prevent its start.
        message.property("LogLevelMax", "i") { message.append(LOG_ERR, as: BusType.integer) }
    }

    /// Writes the command line; each dollar sign is doubled, so that nothing is substituted in the arguments.
    ///
    /// (With `ExecStartEx`, which can disable substitution, systemd 252 loses the program when it reloads its units.)
    private func appendProgram(to message: BusMessage) {
        message.property("ExecStart", "a(sasb)") {
            message.within(BusType.array, "(sasb)") {
                message.within(BusType.structure, "sasb") {
                    message.append(path)
                    message.append(arguments.map(Self.withDoubledDollars))
                    message.append(Int32(0), as: BusType.boolean)
                }
            }
        }
    }

    private static func withDoubledDollars(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { $0 == UInt8(ascii: "$") ? [$0, $0] : [$0] }
    }

    /// Returns the names of the variables that the manager would add and the command does not contain.
    private func unwanted(_ variables: [[UInt8]]) -> [[UInt8]] {
        func name(_ variable: [UInt8]) -> [UInt8] { Array(variable.prefix { $0 != UInt8(ascii: "=") }) }
        let wanted = Set(environment.map(name))
        let names = Set(Self.ownVariables.map { Array($0.utf8) } + variables.map(name))
        return names.subtracting(wanted).sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func microseconds(_ duration: Duration) -> UInt64 { UInt64(max(duration / .microseconds(1), 1)) }
}
