import Glibc
import XCallbackClient
import XCallbackLinux

/// The daemon of the user who runs the command.
struct UserDaemon: Sendable {
    /// What asks it.
    let client: Client
    /// The path of its socket.
    let socket: String
    /// Where the user names the socket, so that the service manager has nothing to do with it; nil if nowhere.
    private let namedBy: String?

    /// Chooses the socket.
    ///
    /// - Parameter option: The one that the command line names. Without it, it is that of `$XCALLBACK_SOCKET`, or the
    ///   one of the user's service; never that of the system.
    init(socket option: String?) {
        let candidates = SocketLocation(option: option).candidates
        socket = candidates[0]
        namedBy = candidates.count > 1 ? nil : option == nil ? "$XCALLBACK_SOCKET" : "'--socket'"
        client = Client(socket: candidates[0])
    }

    /// Whether it runs.
    ///
    /// - Throws: `ClientError` if something is at the socket and does not answer, ``Failure`` if it is another user's.
    func isRunning() async throws -> Bool {
        do {
            try await check()
            return true
        } catch let error as ClientError where error.reason == .unreachable {
            return false
        }
    }

    /// Its process; nil if none answers, or it is another user's.
    func process() async -> Int32? {
        guard let service = try? await client.status().service, service.userID == geteuid() else { return nil }
        return service.processID
    }

    /// Checks that it runs, and as this user.
    ///
    /// - Throws: `ClientError` if it does not answer, ``Failure`` if it is another user's.
    func check() async throws {
        let owner = try await client.status().service.userID
        guard owner == geteuid() else {
            throw Failure(
                .errorAnswer,
                "the daemon at '\(socket)' runs as uid \(owner), and does not read your configuration"
                    + (namedBy.map { "\ndo not use \($0)" } ?? ""))
        }
    }

    /// Checks that it serves routes.
    ///
    /// - Parameter names: The names of the routes.
    /// - Throws: ``Failure`` if one is missing, `ClientError`.
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
    /// Lets the daemon serve the configuration as it is now: reloads it, or has the service manager start it.
    ///
    /// - Parameters:
    ///   - changes: Where it is noted how that is taken back.
    ///   - prepare: Called before the unit of the socket is enabled.
    /// - Returns: Whether it serves; else it is told how to start it.
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
