import CLinux
import Glibc

/// A client that sends bytes and reads lines, one after the other; each call times out after a minute.
package final class LineClient {
    private let socket: ByteSocket
    private var received: [UInt8] = []
    private var position = 0
    private var lastSent = ""

    /// Connects to a socket.
    package init(_ path: String) throws {
        socket = try ByteSocket.connect(to: path)
    }

    /// Sends a text.
    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) throws {
        lastSent = String(decoding: bytes.prefix(200), as: UTF8.self)
        try socket.send(bytes)
    }

    /// Sends bytes that the peer may not read.
    ///
    /// - Returns: The number of bytes sent before the peer closed the connection.
    package func trySend(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        var position = 0
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let count = Glibc.send(socket.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            let code = errno
            if count < 0 {
                if code == EINTR { continue }
                if code == EPIPE || code == ECONNRESET { return position }
                throw TestFailure("send", code: code)
            }
            position += count
        }
        return position
    }

    /// Sends as much as the socket accepts without waiting.
    ///
    /// - Returns: The number of bytes sent.
    package func sendNow(_ bytes: ArraySlice<UInt8>) throws -> Int {
        try bytes.withUnsafeBytes { buffer in
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = Glibc.send(socket.descriptor, buffer.baseAddress, buffer.count, flags)
            let code = errno
            if count >= 0 { return count }
            if code == EAGAIN { return 0 }
            throw TestFailure("send", code: code)
        }
    }

    /// Whether input is available now.
    package var hasInput: Bool {
        var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    /// Shuts down sending.
    package func endSending() {
        shutdown(socket.descriptor, Int32(SHUT_WR))
    }

    /// Reads the next line, without its line feed; nil at the end.
    ///
    /// - Throws: ``TestFailure`` on timeout, or if the last line is incomplete.
    package func readLine() throws -> String? {
        try readBytes().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the next line as bytes, without its line feed; nil at the end.
    ///
    /// - Throws: ``TestFailure`` on timeout, or if the last line is incomplete.
    package func readBytes() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = indexOfLineFeed(in: received, from: searched) {
                defer { position = end + 1 }
                return received[position..<end]
            }
            received.removeFirst(position)
            position = 0
            searched = received.count
            guard try socket.receive(into: &received, after: lastSent) else { break }
        }
        guard received.isEmpty else {
            throw TestFailure("half a line: '\(String(decoding: received, as: UTF8.self))'")
        }
        return nil
    }

    /// Reads all lines until the end.
    package func readToEnd() throws -> [String] {
        var lines: [String] = []
        while let line = try readLine() { lines.append(line) }
        return lines
    }

    /// Sends a line and reads the answer.
    package func ask(_ line: String) throws -> String? {
        try send(line + "\n")
        return try readLine()
    }
}

/// Returns the position of the first line feed at or after an index; nil if none.
func indexOfLineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
        guard start < buffer.count, let base = buffer.baseAddress,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }
}
