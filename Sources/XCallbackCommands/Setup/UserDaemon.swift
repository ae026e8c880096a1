import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackLinux

/// The daemon of the user who runs the command.
struct UserDaemon: Sendable {
    let client: Client
    let socket: String
    /// The place where the user names the socket, which means that no service manager is involved; nil if none.
    private let namedBy: String?

    /// Selects the socket.
    ///
    /// - Parameter option: The socket on the command line; otherwise that of `$XCALLBACK_SOCKET` or of the user's service, and
    ///   never that of the system.
    init(socket option: String?) {
        let candidates = SocketLocation(option: option).candidates
        socket = candidates[0]
        namedBy = candidates.count > 1 ? nil : option == nil ? "$XCALLBACK_SOCKET" : "'--socket'"
        client = Client(socket: candidates[0])
    }

    /// Returns the process ID; nil if no daemon answers, or it belongs to another user.
    func process() async -> Int32? {
        guard let service = try? await client.status().service, service.userID == geteuid() else { return nil }
        return service.processID
    }

    /// Checks that the daemon runs, and as this user.
    private func check() async throws {
        let owner = try await ReplyWatch.wait("to report its status") { try await client.status() }.service.userID
        guard owner == geteuid() else {
            throw Failure(
                .errorAnswer,
                "the daemon at '\(socket)' runs as uid \(owner), and does not read your configuration"
                    + (namedBy.map { "\ndo not use \($0)" } ?? ""))
        }
    }

    /// Checks that the daemon serves routes.
    func check(routes names: [String]) async throws {
        let served = Set(try await client.routes().map(\.name))
        guard let missing = names.first(where: { !served.contains($0) }) else { return }
        let process = try await client.status().service.processID
        throw Failure(
            .errorAnswer,
            "the daemon at '\(socket)', process \(process), does not serve \(missing): it reads another configuration\n"
                + (namedBy.map { "do not use \($0)" } ?? "stop it, or start it without '--config'"))
    }

    /// Makes the daemon serve the current configuration: reloads it, or makes the service manager start it.
    ///
    /// - Parameter prepare: Called before the unit of the socket is enabled.
    /// - Returns: Whether it serves; if not, the reason is printed.
    /// - Throws: ``Failure``, `ClientError`.
    func serve(beforeEnabling prepare: () throws(Failure) -> Void) async throws -> Bool {
        do {
            try await check()
            try await client.reload()
            try printStep("reloaded", "the daemon at \(socket)")
            return true
        } catch let error as ClientError where error.reason == .unreachable {
            if let namedBy {
                let advice = SocketLocation.startAdvice(for: [socket]).text
                throw Failure(.unreachable, "no daemon listens at '\(socket)'\n\(advice), or do not use \(namedBy)")
            }
        }
        switch UserUnit.state {
        case .known(let isEnabled):
            if !isEnabled { try prepare() }
            try UserUnit.run(isEnabled ? ["start", UserUnit.name] : ["enable", "--now", UserUnit.name])
            try await check()
            try printStep(isEnabled ? "started" : "enabled", "\(UserUnit.name), which starts the daemon")
            return true
        case .unusable(let reason):
            try printStep("not started", "the daemon: \(reason)")
            if let note = sessionNote() { try printStep("", note) }
            return false
        }
    }
}

/// The unit of the daemon's socket in the user's service manager.
enum UserUnit {
    enum State: Hashable {
        /// The unit can start the daemon.
        case known(isEnabled: Bool)
        /// It cannot, for a reason.
        case unusable(String)
    }

    static let name = ManagerScope.socketUnit

    static var state: State {
        guard let unit = ManagerScope.user.units([name])?.first else {
            return .unusable("your service manager is not running")
        }
        if unit.isMasked { return .unusable("\(name) is masked in your service manager") }
        return unit.isLoaded
            ? .known(isEnabled: unit.isEnabled) : .unusable("your service manager does not know \(name)")
    }

    /// Runs a command of the service manager.
    static func run(_ arguments: [String]) throws(Failure) {
        let words = ["systemctl", "--user", "--quiet"] + arguments
        let reason: String
        switch ToolRun(starting: words, limit: .seconds(60)).ending {
        case .exited(0): return
        case .exited(let status): reason = "exit status \(status)"
        case .running: reason = "it took more than a minute"
        case .notStarted(let cause): reason = cause
        }
        throw Failure(
            .errorAnswer,
            "'\(words.joined(separator: " "))' failed: \(reason)\nsee 'systemctl --user status \(name)'")
    }
}

/// The display of the user's service manager, from which the programs of the daemon have theirs.
///
/// GNOME and KDE pass theirs to the manager; sway, i3 and startx do not.
enum ManagerDisplay {
    /// Whether the service manager has no display, although this session has one.
    static var isMissing: Bool {
        guard Menu.hasDisplay, ManagerScope.user.isRunning else { return false }
        let run = ToolRun(asking: ["systemctl", "--user", "show-environment"], limit: .seconds(5))
        guard run.ending == .exited(0) else { return false }
        return !run.output.split(separator: "\n").contains {
            $0.hasPrefix("DISPLAY=") || $0.hasPrefix("WAYLAND_DISPLAY=")
        }
    }

    /// The command that gives the session's display to the manager.
    static var command: String { ManagerScope.displayImport + (variable("XAUTHORITY") == nil ? "" : " XAUTHORITY") }

    /// The advice to run the command at the start of each session.
    static var advice: String {
        if variable("SWAYSOCK") != nil { return "in ~/.config/sway/config: exec \(command)" }
        if variable("I3SOCK") != nil { return "in ~/.config/i3/config: exec --no-startup-id \(command)" }
        return "in ~/.xinitrc, before the window manager: \(command)"
    }
}
