// Its header includes <sys/types.h>, so that `timeval` may belong to this module as well as to Glibc.
import CSystemd
import Glibc

/// The datagram socket of a service manager.
struct NotifySocket: Sendable {
    /// A path, or `@` and a name in the abstract namespace.
    let address: String

    /// Sends one message from a socket of its own, so that none is kept open.
    ///
    /// - Parameters:
    ///   - message: Assignments, one a line.
    ///   - patience: How long to wait if the manager's queue is full.
    /// - Throws: ``ServiceManagerError``, with `EAGAIN` if the queue was still full.
    func send(_ message: String, patience: Duration) throws(ServiceManagerError) {
        guard let (name, length) = name else { throw error(EAFNOSUPPORT) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw error(errno) }
        defer { close(descriptor) }

        var wait = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, size) == 0 else { throw error(errno) }
        // A time-out of zero means none at all to the kernel.
        let flags = MSG_NOSIGNAL | (patience == .zero ? MSG_DONTWAIT : 0)
        let code = Self.send(message, from: descriptor, to: name, length: length, flags: Int32(flags))
        guard code == 0 else { throw error(code) }
    }

    private static func send(
        _ message: String, from descriptor: Int32, to name: sockaddr_un, length: socklen_t, flags: Int32
    ) -> Int32 {
        let bytes = Array(message.utf8)
        return withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                while true {
                    if sendto(descriptor, bytes, bytes.count, flags, pointer, length) >= 0 { return 0 }
                    let code = errno
                    if code != EINTR { return code }
                }
            }
        }
    }

    /// The address as the kernel wants it, or `nil` if it is none.
    private var name: (sockaddr_un, socklen_t)? {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(address.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        // A path needs room for the byte that ends it.
        let room = MemoryLayout.size(ofValue: name.sun_path) - (isAbstract ? 0 : 1)
        guard isAbstract || bytes.first == UInt8(ascii: "/"), 2...room ~= bytes.count else { return nil }
        withUnsafeMutableBytes(of: &name.sun_path) { path in
            path.copyBytes(from: bytes)
            if isAbstract { path[0] = 0 }
        }
        let start = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: name.sun_path)
        return (name, socklen_t(start + bytes.count + (isAbstract ? 0 : 1)))
    }

    private func error(_ code: Int32) -> ServiceManagerError {
        ServiceManagerError(address: address, code: code)
    }
}
