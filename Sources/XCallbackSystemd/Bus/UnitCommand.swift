import Glibc

/// A program to be run in a unit of its own.
package struct UnitCommand {
    /// The name of the unit, which no other unit has.
    package let name: String
    /// The path of the program.
    package var path: [UInt8]
    /// Its arguments, its name first.
    package var arguments: [[UInt8]]
    /// The whole environment, as `NAME=value`.
    package var environment: [[UInt8]]
    /// What the unit is called by people.
    package var title: String
    /// The folder in which it runs.
    package var folder: [UInt8]?
    /// Whether it runs nowhere else.
    let needsFolder: Bool
    /// Whether it lives on its own, and all that it starts with it; else the unit ends with the program.
    package var isDetached: Bool
    /// After how long it is ended whatever happens; nil if never.
    package var limit: Duration?

    /// How long what is asked to end may take before it is killed.
    private static let grace = Duration.seconds(2)
    /// How many processes and threads may be in the unit of a program that somebody waits for.
    private static let taskLimit: UInt64 = 512
    /// The status of a process that could not become the program (EXIT_EXEC, systemd.exec(5)).
    private static let notExecuted: Int32 = 203
    /// The status of a process that could not enter its folder (EXIT_CHDIR).
    private static let notInFolder: Int32 = 200
    /// What a unit has in its environment besides what it is given, if nobody takes it out (systemd.exec(5)).
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

    /// Why a process that was not seen to be the program has ended with a status; nil if that is the program's own.
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
    ///   - message: The call that makes the unit.
    ///   - streams: The descriptors of the standard streams; nil for what goes nowhere.
    ///   - variables: The manager's own variables, as `NAME=value`; the program gets none but those that it names.
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
        // The unit stays until how it has ended was told, and its signals come to this connection.
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
            // What a program has started in the background goes on, as it would without a unit.
            text("ExitType", "cgroup")
        } else {
            size("TasksMax", Self.taskLimit)
        }
        if let limit { size("RuntimeMaxUSec", Self.microseconds(limit)) }
        // How a program ends is the business of who has asked for it: the journal hears only why one could not start.
        message.property("LogLevelMax", "i") { message.append(LOG_ERR, as: BusType.integer) }
    }

    /// Writes what is executed: nothing is substituted in the arguments, as each dollar is doubled.
    ///
    /// (systemd 252 loses a program without substitution, `ExecStartEx`, when it reads its units anew.)
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

    /// The names of the variables that the manager would give, and the command does not.
    private func unwanted(_ variables: [[UInt8]]) -> [[UInt8]] {
        func name(_ variable: [UInt8]) -> [UInt8] { Array(variable.prefix { $0 != UInt8(ascii: "=") }) }
        let wanted = Set(environment.map(name))
        let names = Set(Self.ownVariables.map { Array($0.utf8) } + variables.map(name))
        return names.subtracting(wanted).sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func microseconds(_ duration: Duration) -> UInt64 { UInt64(max(duration / .microseconds(1), 1)) }
}
