import Glibc
import XCallbackClient

/// The routes of the system's daemon, where the user's own daemon hides it.
struct SystemRoutes {
    /// How long a daemon may take to say it: a note is not worth more.
    private static let patience = Duration.seconds(1)

    private let ownSocket: String

    /// Begins with the daemon that was asked; nil if that was chosen, or is not hiding any.
    ///
    /// - Parameter location: What the command line says of the daemon.
    init?(besides location: SocketOption) {
        let places = SocketLocation(option: location.socket)
        guard places.candidates.count > 1, let path = try? places.path(), path != SocketLocation.systemPath,
            access(SocketLocation.systemPath, F_OK) == 0
        else { return nil }
        ownSocket = path
    }

    /// Tells, on standard error, that the system's daemon has routes for the scheme of a URL, and the user's own has none.
    func tell(of url: String) async {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        func hasRoutes(_ socket: String) async -> Bool? {
            let daemon = Client(socket: socket, blocking: BlockingWait(until: .now + Self.patience))
            return try? await !daemon.routes(beginningWith: "\(scheme):").isEmpty
        }
        guard await hasRoutes(ownSocket) == false, await hasRoutes(SocketLocation.systemPath) == true else { return }
        Terminal.printError(
            "note: your own daemon has no route for \(scheme.withVisibleControls) URLs, but the system's daemon has: use "
                + "'--system'")
    }
}
