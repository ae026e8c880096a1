import CLinux
import Glibc

/// A place where one daemon runs after the other.
package final class DaemonSite {
    /// Where the socket lies, and all else of the daemons.
    package let directory: TemporaryDirectory
    /// The socket that listens for them, as one of a service manager does, and stays while they come and go.
    private let listener: Int32?
    private let configuration: String
    private let environment: [String]

    /// The path of the socket.
    package var path: String { directory.path(of: "socket") }
    /// The folder in which calls outlive a daemon.
    package var calls: String { directory.path(of: "calls") }

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - configuration: The text of the daemons' configuration.
    ///   - environment: What is in their environment besides, as `NAME=value`.
    ///   - keepsSocket: Whether the socket is passed to them; else each makes its own. One that root runs with a socket
    ///     that is passed takes itself for the daemon of the system.
    /// - Throws: ``TestFailure`` if the socket cannot be made.
    package init(_ configuration: String, environment: [String] = [], keepsSocket: Bool) throws {
        self.configuration = configuration
        directory = try TemporaryDirectory()
        self.environment = environment + ["STATE_DIRECTORY=\(directory.path(of: "calls"))"]
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
    ///
    /// - Parameter tool: The words of a program that runs the daemon.
    /// - Returns: The daemon.
    /// - Throws: ``TestFailure`` if it cannot be started.
    package func start(under tool: [String] = []) throws -> RunningDaemon {
        try RunningDaemon(
            starting: configuration, in: directory, environment: environment, under: tool, passing: listener)
    }

    /// Stops a daemon and starts the next one.
    ///
    /// - Parameters:
    ///   - daemon: The one that runs.
    ///   - signal: What ends it.
    /// - Returns: The next one, which is ready.
    /// - Throws: ``TestFailure`` if the first does not end, or the other is not ready.
    package func restart(_ daemon: RunningDaemon, with signal: Int32 = SIGTERM) throws -> RunningDaemon {
        try daemon.stop(with: signal)
        let next = try start()
        try next.waitUntilReady()
        return next
    }

    /// Connects a client; if the socket is kept, it waits while there is no daemon.
    package func connect() throws -> LineClient { try LineClient(path) }
}
