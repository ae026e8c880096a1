import CLinux
import Dispatch
import Glibc

/// A socket served by a test: a function runs for each connection on a separate thread, until the server is released.
package final class SocketServer: Sendable {
    private let listener: Int32

    /// Starts to listen; clients can connect from now on.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - patience: The timeout in seconds of a call that waits for a client. A client that is a task may itself wait
    ///     for tests that block the threads of all tasks.
    ///   - serve: Called with each connection, which is closed when it returns or throws.
    /// - Throws: ``TestFailure`` if the socket cannot be created.
    package init(
        _ path: String, patience: Int = 20, serve: @escaping @Sendable (borrowing ByteSocket) throws -> Void
    ) throws {
        let listener = try makeSocket(SOCK_STREAM)
        self.listener = listener
        _ = try TestFailure.check("bind", withSocketAddress(path) { bind(listener, $0, $1) })
        _ = try TestFailure.check("listen", listen(listener, 16))
        runOnThread {
            // Shutting down the listener ends the loop.
            while let connection = Self.accept(listener) {
                runOnThread {
                    guard let socket = try? ByteSocket(connection, patience: patience) else { return }
                    // The client notices a failure.
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

/// Runs a function on a separate thread.
///
/// A serial queue gets a thread of its own; concurrent queues share 64 threads, on which tasks run, too.
package func runOnThread(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "runOnThread").async(execute: body)
}
