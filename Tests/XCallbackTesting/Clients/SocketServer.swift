import CLinux
import Dispatch
import Glibc

/// A socket that a test serves: each connection has a thread that runs a function, until the test lets the server go.
package final class SocketServer: Sendable {
    private let listener: Int32

    /// Listens and serves; clients can connect from now on.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - patience: How many seconds it waits for a client in a call. A client that is a task waits itself for tests
    ///     that block the threads of all tasks.
    ///   - serve: Called with each connection, which is closed when it returns or throws.
    /// - Throws: ``TestFailure`` if there is no such socket.
    package init(
        _ path: String, patience: Int = 20, serve: @escaping @Sendable (borrowing ByteSocket) throws -> Void
    ) throws {
        let listener = try makeSocket(SOCK_STREAM)
        self.listener = listener
        _ = try TestFailure.check("bind", withSocketAddress(path) { bind(listener, $0, $1) })
        _ = try TestFailure.check("listen", listen(listener, 16))
        runOnThread {
            // Shutting the listener down ends this.
            while let connection = Self.accept(listener) {
                runOnThread {
                    guard let socket = try? ByteSocket(connection, patience: patience) else { return }
                    // What goes wrong here, the client notices.
                    try? serve(socket)
                }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func accept(_ listener: Int32) -> Int32? {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            let code = errno
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                return descriptor
            }
            if code != EINTR { return nil }
        }
    }
}

/// Runs a function on a thread of its own.
///
/// A serial queue gets one; the threads of concurrent queues are 64 for all of them together, and tasks run there, too.
package func runOnThread(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "runOnThread").async(execute: body)
}
