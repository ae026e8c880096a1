import Glibc
import XCallback

/// The daemon of the user who runs the command.
struct UserDaemon: Sendable {
    /// What asks it.
    let client: Client
    /// The path of its socket.
    let socket: String
    /// Whether the user names the socket, so that the service manager has nothing to do with it.
    let isNamed: Bool

    /// Chooses the socket.
    ///
    /// - Parameter option: The one that the command line names. Without it, it is that of `$XCALLBACK_SOCKET`, or the
    ///   one of the user's service; never that of the system.
    init(socket option: String?) {
        let candidates = SocketLocation(option: option).candidates
        socket = candidates[0]
        isNamed = candidates.count == 1
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
                "the daemon at '\(socket)' runs as uid \(owner), and reads other configuration files than yours\n"
                    + "leave out '--socket' and $XCALLBACK_SOCKET")
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
                + "stop it, or start it without '--config'")
    }
}
