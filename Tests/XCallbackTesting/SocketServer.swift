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
        Self.queue.async { @Sendable in
            // Shutting the listener down ends this.
            while let connection = Self.accept(listener) {
                Self.queue.async { @Sendable in
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

    private static let queue = DispatchQueue(label: "SocketServer", attributes: .concurrent)

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
