import Synchronization

/// A Varlink server scripted by a test, for replies that the real daemon cannot be made to send, or never sends.
package final class FakeDaemon: Sendable {
    private let server: SocketServer
    private let seen = Seen()

    /// The number of clients that have connected.
    package var clientCount: Int { seen.value.withLock(\.clientCount) }
    /// What they have sent.
    package var messages: [String] { seen.value.withLock(\.messages) }

    /// Starts to listen; clients can connect from now on.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - answer: Called with the number of the connection, from 0, and each message; returns the messages to send, or nil to
    ///     close the connection.
    /// - Throws: ``TestFailure`` if the socket cannot be created.
    package init(_ path: String, _ answer: @escaping @Sendable (Int, String) throws -> [String]?) throws {
        server = try SocketServer(path, patience: 600) { [seen] socket in
            let number = seen.value.withLock { value in
                defer { value.clientCount += 1 }
                return value.clientCount
            }
            var received: [UInt8] = []
            repeat {
                while let end = received.firstIndex(of: 0) {
                    let message = String(decoding: received[..<end], as: UTF8.self)
                    received.removeFirst(end + 1)
                    seen.value.withLock { $0.messages.append(message) }
                    guard let replies = try answer(number, message) else { return }
                    try socket.send(replies.flatMap { Array($0.utf8) + [0] })
                }
            } while try socket.receive(into: &received)
        }
    }

    private final class Seen: Sendable {
        let value = Mutex((clientCount: 0, messages: [String]()))
    }
}
