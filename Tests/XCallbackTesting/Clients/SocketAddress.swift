package import Glibc

/// Calls a function with the address of a Unix socket; a name that begins with `@` is abstract.
package func withSocketAddress(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard name.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw TestFailure("the socket address \(name) is too long")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { path in
        path.copyBytes(from: Array(name.utf8))
        if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1))
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
}

/// Opens a Unix socket that programs do not inherit.
package func makeSocket(_ type: __socket_type, flags: Int32 = 0) throws -> Int32 {
    try TestFailure.check("socket", socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue) | flags, 0))
}

/// Connects to a Unix socket; calls time out after some seconds.
func connectSocket(_ path: String, patience: Int = 60) throws -> Int32 {
    let descriptor = try makeSocket(SOCK_STREAM)
    try setPatience(descriptor, seconds: patience)
    _ = try TestFailure.check("connect \(path)", withSocketAddress(path) { connect(descriptor, $0, $1) })
    return descriptor
}

/// Sets the timeout of the socket's calls.
func setPatience(_ descriptor: Int32, seconds: Int) throws {
    var patience = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = try TestFailure.check("setsockopt", setsockopt(descriptor, SOL_SOCKET, option, &patience, size))
    }
}
