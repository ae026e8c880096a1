import Glibc

/// The other end of a service's notifications: a datagram socket that keeps what it is told.
struct FakeServiceManager: ~Copyable {
    /// What a service finds in `$NOTIFY_SOCKET`.
    let address: String
    private let descriptor: Int32

    /// Binds a socket at a path, or at an abstract name if the address begins with `@`.
    init(address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = bindSocket(descriptor, to: address)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard result == 0, setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0 else {
            throw TestFailure("bind \(address): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }

    /// Receives the next message, within ten seconds.
    func receive() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw TestFailure("no message: \(String(cString: strerror(errno)))") }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Whether there is nothing to receive now.
    var isIdle: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) < 0
    }
}

/// A stream socket that listens at an address.
struct ListeningSocket: ~Copyable {
    let descriptor: Int32
    private let address: String

    init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard bindSocket(descriptor, to: address) == 0, listen(descriptor, 1) == 0 else {
            throw TestFailure("listen \(address): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }
}

/// Binds a socket to an address, which is abstract if it begins with `@`.
private func bindSocket(_ descriptor: Int32, to address: String) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { path in
        path.copyBytes(from: Array(address.utf8))
        if address.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(2 + address.utf8.count + (address.hasPrefix("@") ? 0 : 1))
    return withUnsafePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
}

/// An address that no other test uses.
enum TestAddress: String, CaseIterable, Codable {
    case path, abstract

    func make() -> String {
        let number = UInt64.random(in: 0 ... .max)
        return self == .path ? "/tmp/xcallbackd-test-\(number)" : "@xcallbackd-test-\(number)"
    }
}

/// Why a test could not be made.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
