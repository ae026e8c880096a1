package import CLinux
import Glibc

/// A file descriptor that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
    /// The number.
    package let number: Int32

    /// Takes ownership of a descriptor.
    package init(_ number: Int32) {
        self.number = number
    }

    /// Gives up ownership, so that another owner can close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // EINTR must not be retried: Linux has closed the descriptor anyway.
        _ = xcb_close(number)
    }
}

extension Descriptor {
    /// Opens the root directory of a process, to look up files in it.
    ///
    /// Nil if there is no permission to inspect the process, or if a user-space file system provides the directory: its program
    /// could block any look-up.
    ///
    /// - Parameter process: The process ID.
    package init?(rootOfProcess process: Int32) {
        let number = xcb_open_directory("/proc/\(process)/root")
        guard number >= 0 else { return nil }
        let directory = Descriptor(number)
        var system = statfs()
        guard fstatfs(number, &system) == 0, system.f_type != XCB_FUSE_MAGIC else { return nil }
        self = directory
    }
}

/// A pipe that programs do not inherit unless they are given an end; only its write end blocks.
package struct Pipe: ~Copyable, Sendable {
    /// The ends, until they are closed.
    package var reading, writing: Descriptor?

    /// Creates a pipe, or nothing.
    package init(isNeeded: Bool = true) throws(SystemError) {
        guard isNeeded else { return }
        var ends: [Int32] = [-1, -1]
        _ = try SystemError.check("pipe") { xcb_pipe(&ends) }
        reading = Descriptor(ends[0])
        writing = Descriptor(ends[1])
    }

    /// The numbers of the ends; -1 for one that is closed.
    package var numbers: (reading: Int32, writing: Int32) { (Self.number(of: reading), Self.number(of: writing)) }

    private static func number(of end: borrowing Descriptor?) -> Int32 {
        switch end {
        case .some(let descriptor): descriptor.number
        case nil: -1
        }
    }

    /// Leaves the ends open for the rest of the process.
    package consuming func release() -> (reading: Int32, writing: Int32) {
        let (reading, writing) = numbers
        _ = self.reading.take()?.release()
        _ = self.writing.take()?.release()
        return (reading, writing)
    }
}

extension Descriptor {
    /// Creates an in-memory file with some bytes, to be read from the start.
    package init(inMemory bytes: [UInt8]) throws(SystemError) {
        let file = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("stream") })
        let number = file.number
        var written = 0
        while written < bytes.count {
            written += Int(
                try SystemError.check("pwrite") {
                    bytes[written...].withUnsafeBytes { rest in
                        Int32(clamping: xcb_write_at(number, rest.baseAddress, rest.count, off_t(written)))
                    }
                })
        }
        self = file
    }
}

/// Reads a descriptor to its end, to a number of bytes, or to the end of a line.
package func readAll(
    _ descriptor: Int32, until deadline: ContinuousClock.Instant? = nil, atMost limit: Int, isLine: Bool = false
) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < limit {
        if let deadline, !isReady(descriptor, until: deadline) { break }
        let count = Int(try SystemError.check("read") { Int32(read(descriptor, &part, part.count)) })
        bytes += part[..<count]
        if count == 0 || isLine && part[..<count].contains(UInt8(ascii: "\n")) { break }
    }
    return Array(bytes.prefix(limit))
}

/// Waits until a descriptor is readable; returns false at the deadline.
package func isReady(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
        let left = max(ContinuousClock.now.duration(to: deadline), .zero)
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        let result = poll(&members, 1, Int32(left / .milliseconds(1)))
        if result >= 0 || errno != EINTR { return result > 0 }
    }
}

/// The address of a Unix socket at a path.
package struct SocketAddress: Sendable {
    /// The maximum number of bytes of a path.
    package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()
    private var length = socklen_t(MemoryLayout<sockaddr_un>.size)

    /// Creates the address of a path; nil if the path is too long.
    ///
    /// - Parameters:
    ///   - path: The path; an abstract name begins with `@`.
    ///   - isAbstract: Whether it is an abstract name.
    package init?(_ path: String, isAbstract: Bool = false) {
        guard path.utf8.count <= Self.pathLimit else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        guard isAbstract else { return }
        // It begins with a NUL, and ends with its last byte.
        address.sun_path.0 = 0
        length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + path.utf8.count)
    }

    /// Calls a function with the address as a C pointer.
    package func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, length)
            }
        }
    }
}

extension SocketAddress {
    /// Connects a new nonblocking socket; on a Unix socket, the call succeeds or fails at once.
    package func connect() throws(SystemError) -> Descriptor {
        let descriptor = try Self.makeSocket()
        let number = descriptor.number
        _ = try SystemError.check("connect") { withPointer { Glibc.connect(number, $0, $1) } }
        return descriptor
    }

    /// Creates a nonblocking Unix socket that programs do not inherit.
    package static func makeSocket() throws(SystemError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return Descriptor(try SystemError.check("socket") { Glibc.socket(AF_UNIX, kind, 0) })
    }
}
