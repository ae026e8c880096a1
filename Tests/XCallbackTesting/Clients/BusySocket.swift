import Glibc

/// A socket that accepts no connections and whose backlog is full.
package final class BusySocket {
    private var descriptors: [Int32] = []

    /// Creates the socket.
    ///
    /// - Parameter path: Its path.
    /// - Throws: ``TestFailure`` if it cannot be created.
    package init(_ path: String) throws {
        let listener = try makeSocket(SOCK_STREAM)
        descriptors.append(listener)
        _ = try TestFailure.check("bind", try withSocketAddress(path) { bind(listener, $0, $1) })
        _ = try TestFailure.check("listen", listen(listener, 0))
        var code: Int32 = 0
        while code == 0 {
            let client = try makeSocket(SOCK_STREAM, flags: Int32(SOCK_NONBLOCK.rawValue))
            descriptors.append(client)
            let result = try withSocketAddress(path) { connect(client, $0, $1) }
            code = result == 0 ? 0 : errno
        }
        guard code == EAGAIN else { throw TestFailure("connect", code: code) }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
