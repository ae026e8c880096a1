import Glibc

/// Whose service manager runs a daemon.
package enum ManagerScope: Hashable, Sendable {
    /// That of the calling user.
    case user
    /// That of the machine.
    case system

    /// The unit of the daemon's socket.
    package static let socketUnit = "xcallbackd.socket"
    /// The unit of the daemon.
    package static let serviceUnit = "xcallbackd.service"

    /// Finds the manager whose unit makes a socket; nil if no unit does.
    ///
    /// - Parameter path: The path of the socket.
    package init?(socket path: String) {
        switch path {
        case Self.system.socket: self = .system
        case Self.user.socket: self = .user
        default: return nil
        }
    }

    /// The path of the socket that the unit makes.
    package var socket: String { "\(runtimeFolder)/xcallbackd/socket" }

    /// The words that speak to the manager, as a shell takes them.
    package var systemctl: String { words.joined(separator: " ") }

    /// Whether commands to the manager need root's rights, which the caller does not have.
    package var needsRoot: Bool { self == .system && geteuid() != 0 }

    /// Whether the manager runs.
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

    /// Whether the socket is started with the machine, or with the user's session.
    package var isEnabled: Bool {
        unitFolders.contains { access("\($0)/sockets.target.wants/\(Self.socketUnit)", F_OK) == 0 }
    }

    /// Asks the manager for units.
    ///
    /// - Parameter names: The names of the units.
    /// - Returns: What it knows of each; nil if it cannot be asked.
    package func units(_ names: [String]) -> [ManagedUnit]? {
        guard isRunning, ToolRun.isInstalled("systemctl") else { return nil }
        let options = ["show", "--property=\(ManagedUnit.keys.joined(separator: ","))", "--"]
        // A variable before a command is the shell's to read; env does so here.
        let run = ToolRun(asking: ["env"] + words + options + names, limit: .seconds(5))
        guard run.ending == .exited(0) else { return nil }
        let units = ManagedUnit.all(in: run.output)
        return units.count == names.count ? units : nil
    }

    /// Whether a client that connects would start the daemon: the socket's unit listens, and the daemon does not run.
    ///
    /// The manager is asked. If it cannot be, it starts nothing as far as anybody can tell.
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

    private var unitFolders: [String] {
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
