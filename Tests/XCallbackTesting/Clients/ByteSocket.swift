import CLinux
import Glibc

/// A connected socket whose bytes a test reads as they arrive; each call has a timeout, by default a minute.
package struct ByteSocket: ~Copyable {
    /// The socket, for passing it to a program.
    package let descriptor: Int32

    /// Connects to a socket.
    package static func connect(to path: String, patience: Int = 60) throws -> ByteSocket {
        try ByteSocket(connectSocket(path), patience: patience)
    }

    /// Takes ownership of a connected socket.
    package init(_ descriptor: Int32, patience: Int = 60) throws {
        try setPatience(descriptor, seconds: patience)
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count > 0 else { throw TestFailure("send", code: code) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends bytes until the peer has not read any for half a second.
    ///
    /// - Returns: The number of bytes sent.
    package func sendUntilFull(_ bytes: [UInt8]) throws -> Int {
        var sentCount = 0
        while sentCount < bytes.count {
            var member = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if try TestFailure.check("poll", poll(&member, 1, 500)) == 0 { break }
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = bytes[sentCount...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            let code = errno
            if count < 0, code != EAGAIN { throw TestFailure("send", code: code) }
            sentCount += max(count, 0)
        }
        return sentCount
    }

    /// Waits for input without reading it.
    package func waitForInput() throws {
        var member = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = try TestFailure.check("poll", poll(&member, 1, 60_000))
    }

    /// Appends the available input, or waits for some; returns false at the end.
    ///
    /// - Parameters:
    ///   - bytes: What is received before.
    ///   - question: What a failure names.
    /// - Returns: Whether there may be more.
    /// - Throws: ``TestFailure`` if nothing comes in time.
    package func receive(into bytes: inout [UInt8], after question: String = "all that was sent") throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            let code = errno
            if count < 0, code == EINTR { continue }
            if count < 0, code != ECONNRESET { throw TestFailure(reading: code, after: question) }
            bytes += chunk.prefix(max(count, 0))
            return count > 0
        }
    }
}
