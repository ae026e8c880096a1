package import Glibc

/// The address of a Unix socket at a path.
package struct SocketAddress: Sendable {
    /// The maximum number of bytes of a path.
    package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    /// Creates the address of a path; nil if the path is too long.
    package init?(_ path: String) {
        guard path.utf8.count <= Self.pathLimit else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    }

    /// Calls a function with the address as a C pointer.
    package func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
