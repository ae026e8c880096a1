import Glibc

/// The socket on which a service manager hears of its services: the protocol of sd_notify(3).
///
/// The protocol is a stable promise of systemd. It is spoken here because libsystemd, with the libraries that it needs,
/// would take more memory and more time to start than anything else that the daemon links.
struct NotificationSocket: Sendable {
    /// The address as `$NOTIFY_SOCKET` has it: a path, or an abstract name that begins with `@`.
    let address: String

    /// Sends assignments, one a line, as one message.
    ///
    /// - Parameters:
    ///   - message: The assignments.
    ///   - waits: Whether to wait while the manager's queue is full.
    /// - Throws: ``ServiceManagerError``
    func send(_ message: String, waits: Bool) throws(ServiceManagerError) {
        let socket = try check { Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        defer { close(socket) }
        let (target, length) = try socketAddress()
        let bytes = Array(message.utf8)
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = try check {
            withUnsafePointer(to: target) { target in
                target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Int32(sendto(socket, bytes, bytes.count, flags, $0, length))
                }
            }
        }
    }

    private func socketAddress() throws(ServiceManagerError) -> (sockaddr_un, socklen_t) {
        var target = sockaddr_un()
        let name = Array(address.utf8)
        // Of the other kinds, only virtual machines have any (vsock(7)).
        guard [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(name.first), name.count > 1 else {
            throw ServiceManagerError(address: address, code: EAFNOSUPPORT)
        }
        guard name.count < MemoryLayout.size(ofValue: target.sun_path) else {
            throw ServiceManagerError(address: address, code: ENAMETOOLONG)
        }
        let isAbstract = name[0] == UInt8(ascii: "@")
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { path in
            path.copyBytes(from: name)
            if isAbstract { path[0] = 0 }
        }
        // All bytes of an abstract name count; a path ends with a NUL.
        return (target, socklen_t(MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1)))
    }

    private func check(_ call: () -> Int32) throws(ServiceManagerError) -> Int32 {
        while true {
            let result = call()
            let code = errno
            if result >= 0 { return result }
            if code != EINTR { throw ServiceManagerError(address: address, code: code) }
        }
    }
}
