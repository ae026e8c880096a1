import Glibc
import XCallbackClient
import XCallbackLinux

/// The daemon of the user who runs the command.
struct UserDaemon: Sendable {
    /// The client of the daemon.
    let client: Client
    /// The path of its socket.
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

    /// Whether the daemon runs.
    ///
    /// - Throws: `ClientError` if something at the socket does not answer, ``Failure`` if it belongs to another user.
    func isRunning() async throws -> Bool {
        do {
            try await check()
            return true
        } catch let error as ClientError where error.reason == .unreachable {
            return false
        }
    }

    /// Returns the process ID; nil if no daemon answers, or it belongs to another user.
    func process() async -> Int32? {
        guard let service = try? await client.status().service, service.userID == geteuid() else { return nil }
        return service.processID
    }

    /// Checks that the daemon runs, and as this user.
    ///
    /// - Throws: `ClientError` if it does not answer, ``Failure`` if it belongs to another user.
    func check() async throws {
        let owner = try await ReplyWatch.wait("to report its status") { try await client.status() }.service.userID
        guard owner == geteuid() else {
            throw Failure(
                .errorAnswer,
                "the daemon at '\(socket)' runs as uid \(owner), and does not read your configuration"
                    + (namedBy.map { "\ndo not use \($0)" } ?? ""))
        }
    }

    /// Checks that the daemon serves routes.
    ///
    /// - Parameter names: The names of the routes.
    /// - Throws: ``Failure`` if a route is missing, `ClientError`.
    func check(routes names: [String]) async throws {
        let served = Set(try await client.routes().map(\.name))
        guard let missing = names.first(where: { !served.contains($0) }) else { return }
        let process = try await client.status().service.processID
        throw Failure(
            .errorAnswer,
            "the daemon at '\(socket)', process \(process), does not serve \(missing): it reads another configuration\n"
                + (namedBy.map { "do not use \($0)" } ?? "stop it, or start it without '--config'"))
    }
}

extension UserDaemon {
    /// Makes the daemon serve the current configuration: reloads it, or makes the service manager start it.
    ///
    /// - Parameters:
    ///   - changes: Receives the undo steps.
    ///   - prepare: Called before the unit of the socket is enabled.
    /// - Returns: Whether it serves; if not, instructions to start it are printed.
    /// - Throws: ``Failure``, `ClientError`.
    func serve(
        noting changes: inout Changes, beforeEnabling prepare: () throws(Failure) -> Void = {}
    ) async throws -> Bool {
        if try await isRunning() {
            changes.noteForTheEnd { try await client.reload() }
            try await client.reload()
            try SetupLine.print("reloaded", "the daemon at \(socket)")
            return true
        }
        if let namedBy {
            let advice = SocketLocation.startAdvice(for: [socket]).text
            throw Failure(.unreachable, "no daemon listens at '\(socket)'\n\(advice), or do not use \(namedBy)")
        }
        switch UserUnit.state {
        case .unmanaged:
            try SetupLine.print("not started", "the daemon: your service manager is not running")
            if let note = sessionNote() { try SetupLine.print("", note) }
            return false
        case .unknown:
            try SetupLine.print("not started", "the daemon: your service manager does not know \(UserUnit.name)")
            return false
        case .masked:
            try SetupLine.print("not started", "the daemon: \(UserUnit.name) is masked in your service manager")
            return false
        case .known(let isEnabled):
            if isEnabled {
                changes.note { try UserUnit.stop() }
                try UserUnit.start()
            } else {
                try prepare()
                changes.note { try UserUnit.disable() }
                try UserUnit.enable()
            }
            try await check()
            try SetupLine.print(isEnabled ? "started" : "enabled", "\(UserUnit.name), which starts the daemon")
            return true
        }
    }
}
