import Glibc

/// The service manager of a daemon.
package enum ManagerScope: Hashable, Sendable {
    /// The manager of the calling user.
    case user
    /// The manager of the system.
    case system

    /// The unit of the daemon's socket.
    package static let socketUnit = "xcallbackd.socket"
    /// The unit of the daemon.
    package static let serviceUnit = "xcallbackd.service"
    /// The command by which a user's session gives its display to the user's manager.
    package static let displayImport = "systemctl --user import-environment DISPLAY WAYLAND_DISPLAY"

    /// Finds the manager whose unit creates a socket; nil if there is none.
    ///
    /// - Parameter path: The path of the socket.
    package init?(socket path: String) {
        switch path {
        case Self.system.socket: self = .system
        case Self.user.socket: self = .user
        default: return nil
        }
    }

    /// The path of the socket that the unit creates.
    package var socket: String { "\(runtimeFolder)/xcallbackd/socket" }

    /// The command that controls the manager, for a shell.
    package var systemctl: String { words.joined(separator: " ") }

    /// Whether commands to the manager need root privileges that the caller does not have.
    package var needsRoot: Bool { self == .system && geteuid() != 0 }

    /// Whether the manager is running.
    package var isRunning: Bool {
        switch self {
        // sd_booted(3)
        case .system: access("/run/systemd/system", F_OK) == 0
        case .user: access("\(runtimeFolder)/systemd/private", F_OK) == 0
        }
    }

    /// Whether a file of the socket's unit is installed.
    package var hasUnit: Bool {
        unitFolders.contains { access("\($0)/\(Self.socketUnit)", F_OK) == 0 }
    }

    /// Whether the socket is started at boot, or with the user's session.
    package var isEnabled: Bool {
        unitFolders.contains { access("\($0)/sockets.target.wants/\(Self.socketUnit)", F_OK) == 0 }
    }

    /// Whether there is a daemon to start: the system's needs somebody to set it up, a user's own is always meant.
    package var isSetUp: Bool { self == .user || isEnabled || access("/etc/xcallbackd/config.yaml", F_OK) == 0 }

    /// Queries the manager for units.
    ///
    /// - Parameter names: The names of the units.
    /// - Returns: The state of each unit; nil if the manager cannot be reached.
    package func units(_ names: [String]) -> [ManagedUnit]? {
        guard isRunning, ToolRun.isInstalled("systemctl") else { return nil }
        let options = ["show", "--property=\(ManagedUnit.keys.joined(separator: ","))", "--"]
        // In a shell, a variable can precede a command; here, env sets it.
        let run = ToolRun(asking: ["env"] + words + options + names, limit: .seconds(5))
        guard run.ending == .exited(0) else { return nil }
        let units = ManagedUnit.all(in: run.output)
        return units.count == names.count ? units : nil
    }

    /// Whether a new client would start the daemon: the socket unit is listening and the daemon is not running.
    ///
    /// This queries the manager. If the manager cannot be reached, the result is false.
    package var startsForClients: Bool {
        guard let units = units([Self.serviceUnit, Self.socketUnit]) else { return false }
        return units[0].isStopped && units[1].isActive
    }

    private var words: [String] {
        switch self {
        case .system: ["systemctl"]
        case .user where variable("XDG_RUNTIME_DIR") == nil:
            ["XDG_RUNTIME_DIR=\(runtimeFolder)", "systemctl", "--user"]
        case .user: ["systemctl", "--user"]
        }
    }

    private var runtimeFolder: String {
        switch self {
        case .system: "/run"
        case .user: variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())"
        }
    }

    /// The folders of unit files.
    package var unitFolders: [String] {
        let shared = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"]
        switch self {
        case .system: return shared.map { "\($0)/systemd/system" }
        case .user:
            let home = variable("HOME") ?? "/"
            let own = [
                variable("XDG_CONFIG_HOME") ?? "\(home)/.config", runtimeFolder,
                variable("XDG_DATA_HOME") ?? "\(home)/.local/share",
            ]
            return (own + shared).map { "\($0)/systemd/user" }
        }
    }
}

/// The state of a unit in its service manager (systemctl(1), `show`).
package struct ManagedUnit: Hashable, Sendable {
    static let keys = [
        "Id", "LoadState", "ActiveState", "SubState", "UnitFileState", "Result", "NeedDaemonReload", "ExecMainStatus",
        "MainPID", "ExecStart", "StatusText", "User", "FragmentPath",
    ]

    private let properties: [String: String]

    /// Creates a unit.
    ///
    /// - Parameter properties: The properties by name.
    package init(_ properties: [String: String]) {
        self.properties = properties
    }

    /// Parses the output of `systemctl show`: a block of lines per unit.
    package static func all(in output: String) -> [ManagedUnit] {
        var units: [[String: String]] = [[:]]
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { units.append([:]) }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { units[units.count - 1][parts[0]] = parts[1] }
        }
        return units.filter { !$0.isEmpty }.map(ManagedUnit.init)
    }

    /// The name.
    package var name: String { self["Id"] }
    /// Whether its file was found and read, or the unit is masked.
    package var isKnown: Bool { isMasked || isLoaded }
    /// Whether its file was found and read, and the unit is not masked.
    package var isLoaded: Bool { self["LoadState"] == "loaded" }
    /// Whether it is linked to `/dev/null`, so that nothing can start it.
    package var isMasked: Bool { self["LoadState"] == "masked" }
    /// Whether it is a user's unit that the administrator has masked for all users.
    package var isMaskedForAll: Bool {
        // Up to systemd 252, the path goes through a link.
        isMasked && ["/etc/systemd/user/", "/etc/xdg/systemd/user/"].contains(where: self["FragmentPath"].hasPrefix)
    }
    /// Whether the mask ends with the next boot.
    package var isMaskedAtRuntime: Bool { self["UnitFileState"] == "masked-runtime" }
    /// Whether the unit has failed; the state is kept until its next start.
    package var isFailed: Bool { activity == "failed" }
    /// Whether it is started at boot or with the session.
    package var isEnabled: Bool { self["UnitFileState"].hasPrefix("enabled") }
    /// Whether it is running.
    package var isActive: Bool { activity == "active" }
    /// Whether it is not running or starting.
    package var isStopped: Bool { ["inactive", "failed", "deactivating"].contains(activity) }
    /// Whether it has failed, and will be started again after a pause.
    package var isRestarting: Bool { self["SubState"] == "auto-restart" }
    /// The state, such as `active`.
    package var activity: String { self["ActiveState"] }
    /// The reason for its failure, such as `start-limit-hit`; `success` without a failure.
    package var result: String { self["Result"] }
    /// Whether it was started too often, so that it cannot start again for a while.
    package var isAtLimit: Bool { result.hasSuffix("limit-hit") }
    /// Whether its files have changed since the manager has read them.
    package var isOutdated: Bool { self["NeedDaemonReload"] == "yes" }
    /// The exit status of its process.
    package var exitStatus: Int { Int(self["ExecMainStatus"]) ?? 0 }
    /// The ID of its process; 0 without one.
    package var process: Int32 { Int32(self["MainPID"]) ?? 0 }

    /// The value of a property; empty if it is unset or was not requested.
    package subscript(key: String) -> String { properties[key] ?? "" }
}

/// What a program that has ended has left behind: processes of its group, and others that hold an end of its pipes.
package struct LeftProcesses: Sendable {
    /// How long the service manager may take to move them.
    private static let patience = Duration.seconds(2)

    private let group: pid_t
    private let pipes: [FileIdentity]

    /// Creates the description of what a program has left behind.
    ///
    /// - Parameters:
    ///   - group: The group of the program.
    ///   - ends: The open ends of its pipes in this process.
    package init(group: Int32, pipes ends: [Int32]) {
        self.group = group
        pipes = ends.compactMap { FileIdentity(ofFile: "/proc/self/fd/\($0)") }
    }

    /// Moves the processes from the unit of this one into a scope of the user's service manager, where they outlive the unit.
    ///
    /// A process that one of them starts meanwhile goes into another scope. This blocks until all are moved, for at most two
    /// seconds.
    ///
    /// - Parameters:
    ///   - scope: The name of the scope without its suffix.
    ///   - description: The description of the scope.
    /// - Returns: Whether none is left in the unit; false if there is no service manager, or if it does not respond.
    package func move(to scope: String, _ description: String) -> Bool {
        guard ManagerScope.user.isRunning else { return false }
        let end = ContinuousClock.now + Self.patience
        var (moved, refused): (Set<pid_t>, Set<pid_t>) = ([], [])
        while .now < end {
            guard let found = processes() else { return false }
            if found.isEmpty { return true }
            let new = found.subtracting(moved)
            let name = moved.isEmpty ? scope : "\(scope)-\(moved.count)"
            if new.isEmpty {
                // The manager replies before it moves them.
                usleep(5_000)
            } else if ManagerScope.moveToScope("\(name).scope", new, description) {
                moved.formUnion(new)
            } else if new == refused {
                return false
            } else {
                // One of them has ended, or there is no answer.
                refused = new
            }
        }
        return false
    }

    /// The processes in the control group of this one; nil if they are unknown.
    private func processes() -> Set<pid_t>? {
        guard let group = ProcessState.controlGroup(of: "self"), group.hasPrefix("0::"),
            let list = try? SmallFile("/sys/fs/cgroup\(group.dropFirst(3))/cgroup.procs", atMost: 1 << 20).text
        else { return nil }
        return Set(list.split(separator: "\n").compactMap { pid_t($0) }.filter(isLeft))
    }

    private func isLeft(_ id: pid_t) -> Bool {
        // A child is a program that runs. Until it has begun, it holds the pipes of all others.
        guard id != getpid(), let state = ProcessState(of: id), state.parentID != getpid() else { return false }
        return state.groupID == group || holdsPipe(id)
    }

    private func holdsPipe(_ id: pid_t) -> Bool {
        // Shells use no other descriptors.
        (0...9).contains { number in
            FileIdentity(ofFile: "/proc/\(id)/fd/\(number)").map { pipes.contains($0) } ?? false
        }
    }
}

extension ManagerScope {
    /// How long the service manager may take for a call.
    private static let patience = Duration.seconds(1)

    /// Moves processes into a new scope of the user's service manager; returns whether the manager accepts them.
    package static func moveToScope(_ name: String, _ processes: Set<Int32>, _ description: String) -> Bool {
        let manager = "org.freedesktop.systemd1"
        let method = [manager, "/org/freedesktop/systemd1", "\(manager).Manager", "StartTransientUnit"]
        let list = ["PIDs", "au", "\(processes.count)"] + processes.map { "\($0)" }
        let texts = [
            "Slice", "s", "app.slice", "CollectMode", "s", "inactive-or-failed", "Description", "s", description,
        ]
        let unit = ["ssa(sv)a(sa(sv))", name, "fail", "4"] + list + texts + ["0"]
        return ToolRun(asking: ["busctl", "--user", "call"] + method + unit, limit: patience).ending == .exited(0)
    }
}
