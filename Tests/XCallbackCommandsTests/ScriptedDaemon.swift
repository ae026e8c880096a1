import Glibc
import XCallbackTesting

/// A daemon that gives the answers of a test: what the real one cannot be brought to answer, or never would.
struct ScriptedDaemon: ~Copyable {
    private let listener: ByteSocket

    /// Listens; a client can connect from now on.
    init(path: String) throws {
        let descriptor = try makeSocket(SOCK_STREAM)
        _ = try TestFailure.check("bind", withSocketAddress(path) { bind(descriptor, $0, $1) })
        _ = try TestFailure.check("listen", listen(descriptor, 1))
        listener = try ByteSocket(descriptor)
    }

    /// Takes one connection, reads a message for each reply and sends it, and closes the connection.
    ///
    /// - Parameter replies: What to send, without the zero bytes at their ends.
    /// - Returns: All that was received.
    /// - Throws: `TestFailure` if the client does something else.
    func converse(_ replies: [String]) throws -> String {
        let socket = try ByteSocket(TestFailure.check("accept", accept(listener.descriptor, nil, nil)))
        var (received, answered) = ([UInt8](), 0)
        for reply in replies {
            while !received[answered...].contains(0) {
                guard try socket.receive(into: &received) else { throw TestFailure("the client has ended") }
            }
            answered = (received[answered...].firstIndex(of: 0) ?? answered) + 1
            try socket.send(Array(reply.utf8) + [0])
        }
        return String(decoding: received[..<answered], as: UTF8.self)
    }
}
