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
