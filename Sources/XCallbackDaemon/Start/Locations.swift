import Glibc
package import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux

/// Where the daemon finds its configuration and puts its socket.
package struct Locations {
    /// The socket of the system's daemon, which xcallbackd.socket makes.
    private static let systemSocket = "/run/xcallbackd/socket"

    /// Where the files of the configuration are looked for.
    package let configuration: ConfigurationPlaces
    /// Where the service manager runs programs for the system's daemon (xcallbackd-run.socket); nil for any other.
    ///
    /// What runs them reads the system's configuration, so that there is none for a daemon with another one.
    package let programServerSocket: String?
    /// The path of the socket.
    package let socket: String
    /// The path of the socket for assistants, which only a user's daemon has; nil if there is none.
    package let agentSocket: String?
    /// The permissions of the socket: the owner's alone for a user, the group's too for the system.
    package let socketMode: UInt32
    /// What helps if the file of the socket is lost.
    package let socketRemedy: SocketRemedy
    /// Whether they are those of the system.
    package let isSystem: Bool
    /// The folder in which calls of other applications outlive the daemon; nil if they do not.
    ///
    /// It is the one of a service manager's `StateDirectory=`, or lies below that of the user's programs. The daemon of
    /// the system makes no calls; one at a socket of its own must not take the calls of the user's daemon for its own.
    package let callFolder: String?

    /// Chooses the places: what the command line says, else those of the system or of the user.
    ///
    /// The daemon of the system is the one that root runs, or that gets the system's socket from its service manager.
    /// Its configuration is also checked for a user who names its socket.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - environment: Looks a variable of the environment up.
    ///   - isRoot: Whether root runs the daemon.
    ///   - passedSocket: The path of the socket that a service manager has passed; nil without one.
    ///   - passedAgentSocket: That of the socket for assistants.
    package init(
        _ options: DaemonOptions, environment: (String) -> String?, isRoot: Bool, passedSocket: String? = nil,
        passedAgentSocket: String? = nil
    ) {
        // An empty variable is the same as none (XDG Base Directory Specification).
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
        socketRemedy =
            switch passedSocket {
            case nil: .restart
            case Self.systemSocket: .unit("systemctl restart xcallbackd.socket")
            case "\(userRuntime)/xcallbackd/socket": .unit("systemctl --user restart xcallbackd.socket")
            default: .rebind
            }
        self.isSystem = isSystem && options.socket == nil
        programServerSocket = self.isSystem && options.configuration == nil ? "/run/xcallbackd-run.socket" : nil
        let userState = variable("XDG_STATE_HOME") ?? variable("HOME").map { "\($0)/.local/state" }
        if self.isSystem {
            callFolder = nil
        } else if let folder = variable("STATE_DIRECTORY")?.split(separator: ":").first {
            callFolder = String(folder)
        } else {
            callFolder = options.socket == nil ? userState.map { "\($0)/xcallbackd/calls" } : nil
        }
        socketMode = self.isSystem ? 0o660 : 0o600
        isDefaultSocket = options.socket == nil
    }

    private let isDefaultSocket: Bool

    /// Why the socket for assistants would be no wall; nil if nothing speaks against it.
    package var agentSocketFault: String? {
        guard let agentSocket else { return nil }
        if isSystem { return "the system's router has no socket for assistants: leave --agent-socket out" }
        func folder(_ path: String) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "." }
        guard folder(agentSocket) == folder(socket) else { return nil }
        return "the socket for assistants '\(agentSocket)' must be in a folder of its own: a process with access to "
            + "the folder of '\(socket)' reaches everything"
    }

    /// Makes the folder of the socket if it is a default one that is not there yet.
    ///
    /// - Throws: ``ListenerError`` if it cannot be made.
    func makeSocketDirectory() throws(ListenerError) {
        if isDefaultSocket { try makeDirectory(of: socket) }
    }

    /// Makes the folder of a socket if it is not there yet; not those above it.
    func makeDirectory(of socket: String) throws(ListenerError) {
        guard let slash = socket.lastIndex(of: "/") else { return }
        let directory = String(socket[..<slash])
        do {
            _ = try SystemError.check("mkdir '\(directory)'") { mkdir(directory, socketMode == 0o660 ? 0o755 : 0o700) }
        } catch {
            if error.code != EEXIST { throw .system(socket, error) }
        }
    }
}
