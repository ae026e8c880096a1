import Glibc

/// A Unix socket with a path, that waits ten seconds at most.
struct BoundSocket: ~Copyable {
    let descriptor: Int32

    init(_ type: __socket_type, path: String) throws {
        descriptor = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TestFailure("bind \(path)") }
        try setTimeout(of: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Takes what was sent.
    func receive() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestFailure("recv") }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}

/// A daemon that gives the answers of a test: what the real one cannot be brought to answer, or never would.
struct ScriptedDaemon: ~Copyable {
    private let listener: BoundSocket

    /// Listens; a client can connect from now on.
    init(path: String) throws {
        let listener = try BoundSocket(SOCK_STREAM, path: path)
        guard listen(listener.descriptor, 1) == 0 else { throw TestFailure("listen") }
        self.listener = listener
    }

    /// Takes one connection, reads a message for each reply and sends it, and closes the connection.
    ///
    /// - Parameter replies: What to send, without the zero bytes at their ends.
    /// - Returns: All that was received.
    /// - Throws: ``TestFailure`` if the client does something else.
    func converse(_ replies: [String]) throws -> String {
        let connection = accept(listener.descriptor, nil, nil)
        guard connection >= 0 else { throw TestFailure("accept") }
        defer { close(connection) }
        try setTimeout(of: connection)
        var received = ""
        for reply in replies {
            var byte: UInt8 = 0
            repeat {
                guard recv(connection, &byte, 1, 0) == 1 else { throw TestFailure("recv") }
                received.unicodeScalars.append(Unicode.Scalar(byte))
            } while byte != 0
            let bytes = Array(reply.utf8) + [0]
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw TestFailure("send")
            }
        }
        return received
    }
}

private func setTimeout(of descriptor: Int32) throws {
    var time = timeval(tv_sec: 10, tv_usec: 0)
    let result = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    guard result == 0 else { throw TestFailure("setsockopt") }
}
