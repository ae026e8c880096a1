import Glibc
package import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux

/// The locations of the daemon's configuration and socket.
package struct Locations {
    /// The socket of the system's daemon, created by xcallbackd.socket.
    private static let systemSocket = "/run/xcallbackd/socket"

    /// Where to look for the configuration files.
    package let configuration: ConfigurationPlaces
    /// The socket of the program server, where the service manager runs programs for the system's daemon
    /// (xcallbackd-run.socket); nil for any other daemon.
    ///
    /// The program server reads the system's configuration, so a daemon with another configuration cannot use it.
    package let programServerSocket: String?
    /// The path of the socket.
    package let socket: String
    /// The path of the socket for assistants, only for a user's daemon; nil without one.
    package let agentSocket: String?
    /// The permissions of the socket: for a user's daemon the owner only, for the system's also the group.
    package let socketMode: UInt32
    /// Whether they are the locations of the system's daemon.
    package let isSystem: Bool
    /// The folder for what the daemon remembers; nil if it has none.
    package let stateFolder: String?
    /// The folder of the history; nil for the system's daemon, which keeps none.
    package let historyFolder: String?

    /// Chooses the locations: those of the command line, otherwise those of the system or of the user.
    ///
    /// A daemon is the system's if root runs it, or if its service manager passes it the system's socket. A user who names
    /// the system's socket also checks the system's configuration.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - environment: Returns the value of an environment variable.
    ///   - isRoot: Whether root runs the daemon.
    ///   - passedSocket: The path of the passed socket; nil without one.
    ///   - passedAgentSocket: The path of the passed socket for assistants.
    package init(
        _ options: DaemonOptions, environment: (String) -> String?, isRoot: Bool, passedSocket: String? = nil,
        passedAgentSocket: String? = nil
    ) {
        // An empty variable counts as unset (XDG Base Directory Specification).
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let isSystem =
            isRoot || passedSocket == Self.systemSocket
            || options.mode == .check && options.socket == Self.systemSocket
        let userRuntime = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())"
        configuration =
            options.configuration.map { ConfigurationPlaces(file: $0) }
            ?? ConfigurationPlaces(isSystem: isSystem, environment: environment)
        socket = options.socket ?? (isSystem ? Self.systemSocket : "\(userRuntime)/xcallbackd/socket")
        agentSocket = passedAgentSocket ?? options.agentSocket
        self.isSystem = isSystem && options.socket == nil
        programServerSocket = self.isSystem && options.configuration == nil ? "/run/xcallbackd-run.socket" : nil
        socketMode = self.isSystem ? 0o660 : 0o600
        isDefaultSocket = options.socket == nil
        let home = variable("HOME").map { "\($0 == "/" ? "" : $0)/.local/state" }
        let userState = (variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home).map {
            "\($0)/xcallbackd"
        }
        // The service manager sets the variable (StateDirectory=).
        stateFolder =
            isSystem ? variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init) : userState
        historyFolder = self.isSystem ? nil : userState
    }

    private let isDefaultSocket: Bool

    /// The reason why the socket for assistants would not isolate them; nil if it does.
    package var agentSocketFault: String? {
        guard let agentSocket else { return nil }
        if isSystem { return "the system's router has no socket for assistants: leave --agent-socket out" }
        guard agentSocket.parent == socket.parent else { return nil }
        return "the socket for assistants '\(agentSocket)' must be in a folder of its own: a process with access to "
            + "the folder of '\(socket)' reaches everything"
    }

    /// The folder of the socket, if other users can replace the file in it.
    var openSocketFolder: String? {
        let folder = socket.parent
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let others: mode_t = UserDatabase.isPrivateGroup(status.st_gid, of: status.st_uid) ? 0o002 : 0o022
        let isOpen = status.st_mode & others != 0 && status.st_mode & S_ISVTX == 0
        return isOpen || ![0, geteuid()].contains(status.st_uid) ? folder : nil
    }

    /// Creates the folder of the socket if it is a default folder and does not exist.
    ///
    /// - Throws: ``ListenerError`` if the folder cannot be created.
    func makeSocketDirectory() throws(ListenerError) {
        if isDefaultSocket { try makeDirectory(of: socket) }
    }

    /// Creates the folder of a socket if it does not exist, but not its parents.
    func makeDirectory(of socket: String) throws(ListenerError) {
        let directory = socket.parent
        do {
            _ = try SystemError.check("mkdir '\(directory)'") { mkdir(directory, socketMode == 0o660 ? 0o755 : 0o700) }
        } catch {
            if error.code != EEXIST { throw .system(socket, error) }
        }
    }
}
