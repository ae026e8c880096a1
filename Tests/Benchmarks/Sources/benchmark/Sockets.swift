import Foundation
import Glibc

/// A receiving Unix datagram socket, such as a service manager uses for notifications.
final class DatagramSocket {
    let path: String
    private let descriptor: Int32

    /// Binds a socket to a path.
    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        setTimeout(of: descriptor)
        guard withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0 else {
            throw BenchmarkError.system("cannot bind '\(path)'")
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Discards all further messages, because a full socket makes its senders wait or fail.
    func discardAll() {
        let descriptor = dup(descriptor)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) >= 0 || errno == EAGAIN || errno == EINTR {}
            close(descriptor)
        }
    }

    /// Waits for a message that contains a line.
    func wait(for line: String) throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchmarkError("no '\(line)' came within ten seconds") }
            let lines = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
            if lines.contains(where: { $0 == line }) { return }
        }
    }
}

/// Waits until a server listens on a socket.
///
/// - Throws: ``BenchmarkError`` if none listens within ten seconds, or the program has ended.
func waitForListener(on path: String, startedBy program: ChildProcess) throws {
    for _ in 0..<5000 where !program.hasEnded {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        if withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 { return }
        usleep(2000)
    }
    throw program.failure()
}

/// Makes a socket give up after ten seconds.
func setTimeout(of descriptor: Int32) {
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
}

/// Calls a function with the address of a Unix socket; a path that is too long is truncated.
func withUnixAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.dropLast().copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}
