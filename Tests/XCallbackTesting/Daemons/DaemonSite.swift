import CLinux
import Glibc

/// A place where daemons run one after the other.
package final class DaemonSite {
    /// The folder of the socket and of all other files of the daemons.
    package let directory: TemporaryDirectory
    /// The listening socket, which like a service manager's stays while daemons come and go.
    private let listener: Int32?
    private let configuration: String

    /// The path of the socket.
    package var path: String { directory.path(of: "socket") }

    /// Creates the place.
    ///
    /// - Parameters:
    ///   - configuration: The text of the daemons' configuration.
    ///   - keepsSocket: Whether the socket is passed to the daemons; if not, each creates its own. A daemon of root with a
    ///     passed socket considers itself the daemon of the system.
    /// - Throws: ``TestFailure`` if the socket cannot be created.
    package init(_ configuration: String, keepsSocket: Bool) throws {
        self.configuration = configuration
        directory = try TemporaryDirectory()
        guard keepsSocket else {
            listener = nil
            return
        }
        let number = try makeSocket(SOCK_STREAM)
        listener = number
        let path = directory.path(of: "socket")
        _ = try TestFailure.check("bind", try withSocketAddress(path) { bind(number, $0, $1) })
        _ = try TestFailure.check("listen", listen(number, 4096))
    }

    deinit {
        if let listener { close(listener) }
    }

    /// Starts a daemon, which may not be ready yet.
    package func start() throws -> RunningDaemon {
        try RunningDaemon(starting: configuration, in: directory, passing: listener)
    }

    /// Stops a daemon and starts the next one.
    ///
    /// - Parameters:
    ///   - daemon: The running daemon.
    ///   - signal: The signal that ends it.
    /// - Returns: The next daemon, once ready.
    /// - Throws: ``TestFailure`` if the first does not end, or the next does not become ready.
    package func restart(_ daemon: RunningDaemon, with signal: Int32 = SIGTERM) throws -> RunningDaemon {
        try daemon.stop(with: signal)
        let next = try start()
        try next.waitUntilReady()
        return next
    }

    /// Connects a client; if the socket is kept, the client waits while there is no daemon.
    package func connect() throws -> LineClient { try LineClient(path) }
}
