import CLinux
import Glibc

/// The receiver of a service's notifications: a datagram socket that queues them.
package final class FakeServiceManager: Sendable {
    /// The value of `$NOTIFY_SOCKET` for the service.
    package let address: String
    private let descriptor: Int32

    /// Binds a socket.
    ///
    /// - Parameter address: A path, or an abstract name if it begins with `@`.
    /// - Throws: ``TestFailure`` if the address is taken.
    package init(address: String) throws {
        self.address = address
        let descriptor = try makeSocket(SOCK_DGRAM)
        self.descriptor = descriptor
        try setPatience(descriptor, seconds: 60)
        _ = try TestFailure.check("bind \(address)", withSocketAddress(address) { bind(descriptor, $0, $1) })
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }

    /// Receives the next message; times out after a minute.
    package func receive() throws -> String {
        guard let message = receive(flags: 0) else { throw TestFailure("no message came", code: errno) }
        return message
    }

    /// Receives the next message that does not begin with one of some words.
    package func receive(besides words: String...) throws -> String {
        while true {
            let message = try receive()
            if !words.contains(where: { message.hasPrefix($0) }) { return message }
        }
    }

    /// Takes an already received message; nil if none.
    package func receiveNow() -> String? {
        receive(flags: Int32(MSG_DONTWAIT))
    }

    private func receive(flags: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, flags)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
