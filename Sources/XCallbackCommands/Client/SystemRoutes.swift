import Glibc
import XCallbackClient

/// The routes of the system's daemon, where the user's own daemon hides that daemon.
struct SystemRoutes {
    /// The maximum time for the daemon's reply: a note is not worth more.
    private static let patience = Duration.seconds(1)

    private let ownSocket: String

    /// Starts with the daemon that was called; nil if the command line names it, or if it hides no other.
    ///
    /// - Parameter location: The socket options of the command line.
    init?(besides location: SocketOption) {
        let places = SocketLocation(option: location.socket)
        guard places.candidates.count > 1, let path = try? places.path(), path != SocketLocation.systemPath,
            access(SocketLocation.systemPath, F_OK) == 0
        else { return nil }
        ownSocket = path
    }

    /// Notes on standard error that only the system's daemon, and not the user's own, has routes for the scheme of a URL.
    func tell(of url: String) async {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        func hasRoutes(_ socket: String) async -> Bool? {
            try? await withTimeout(Self.patience) {
                try await !Client(socket: socket).routes(beginningWith: "\(scheme):").isEmpty
            }
        }
        guard await hasRoutes(ownSocket) == false, await hasRoutes(SocketLocation.systemPath) == true else { return }
        Terminal.printError(
            "note: your own daemon has no route for \(scheme.withVisibleControls) URLs, but the system's daemon has: use "
                + "'--system'")
    }
}
