import Glibc
import XCallback

/// A conversation with the daemon: one URL a line out, one URL a line in.
struct DaemonConnection: ~Copyable {
    private let socket: Socket
    private let path: String
    /// What was received after the last answer.
    private var received: [UInt8]

    /// Connects, and checks who is at the other end.
    ///
    /// - Parameter path: The path of the socket.
    /// - Throws: ``Failure`` telling why there is no connection and what to do.
    init(path: String) throws(Failure) {
        let address = try sockaddr_un(path: path)
        let socket = try Socket()
        try socket.connect(to: address, at: path)
        try socket.checkServer(at: path)
        self.socket = socket
        self.path = path
        received = []
    }

    /// Sends a URL and waits for its answer.
    ///
    /// - Parameter url: The URL, without the end of its line.
    /// - Returns: The answer, without the end of its line.
    /// - Throws: ``Failure`` if the daemon goes away before it has answered.
    mutating func ask(_ url: [UInt8]) throws(Failure) -> [UInt8] {
        send(url + [UInt8(ascii: "\n")])
        return try readLine()
    }

    /// Sends bytes; that the daemon is gone, or has had enough, is noticed when its answer is read.
    private func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(socket.descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                let code = errno
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if code != EINTR {
                    return
                }
            }
        }
    }

    private mutating func readLine() throws(Failure) -> [UInt8] {
        var searched = 0
        while true {
            if let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                return line
            }
            searched = received.count
            try receive()
        }
    }

    private mutating func receive() throws(Failure) {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            var count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
            while count < 0, errno == EINTR { count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0) }
            if count > 0 { received += buffer[..<count] }
            return count < 0 ? -Int(errno) : count
        }
        guard count <= 0 else { return }
        let reason = count == 0 ? "it closed the connection" : systemMessage(Int32(-count))
        throw Failure(.unreachable, "the daemon at '\(path)' did not answer: \(reason)\n\(Self.goneAdvice)")
    }

    private static let goneAdvice =
        "it may have stopped or be over its limits: its log tells"
}

/// A blocking Unix socket that is closed when its owner goes.
private struct Socket: ~Copyable {
    let descriptor: Int32

    init() throws(Failure) {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = errno
        guard descriptor >= 0 else { throw Failure(.unreachable, "cannot make a socket: \(systemMessage(code))") }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Connects to the daemon.
    func connect(to address: sockaddr_un, at path: String) throws(Failure) {
        while true {
            let result = address.withPointer { Glibc.connect(descriptor, $0, $1) }
            let code = errno
            if result == 0 { return }
            guard code != EINTR else { continue }
            let advice = code == EACCES ? Self.accessAdvice : SocketLocation.startAdvice
            throw Failure(.unreachable, "cannot reach the daemon at '\(path)': \(systemMessage(code))\n\(advice)")
        }
    }

    private static let accessAdvice =
        "the system's daemon is for members of the group '\(ServerTrust.serviceUserName)'; a user's is for that user"

    /// Checks that the other end is to be trusted.
    func checkServer(at path: String) throws(Failure) {
        do throws(ClientError) { try ServerTrust.check(descriptor, at: path) } catch { throw Failure(error) }
    }
}

extension sockaddr_un {
    /// Creates the address of a path.
    fileprivate init(path: String) throws(Failure) {
        self.init()
        let limit = MemoryLayout.size(ofValue: sun_path) - 1
        guard path.utf8.count <= limit else {
            throw Failure(.unreachable, "cannot reach the daemon: the path '\(path)' is longer than \(limit) bytes")
        }
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: path.utf8) }
    }

    /// Calls a function with the address as the system takes it.
    fileprivate func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: self) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
