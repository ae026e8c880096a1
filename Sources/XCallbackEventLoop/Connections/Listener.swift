import CLinux
import Glibc
package import XCallbackLinux

/// Why a socket could not be opened for listening.
package enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path does not fit into the address of a Unix socket.
    case pathTooLong(String, limit: Int)
    /// Another daemon is listening there.
    case inUse(String)
    /// Something that is not a socket has the path.
    case notASocket(String)
    /// A system call failed.
    case system(String, SystemError)

    /// What is wrong, where, and what to do.
    package var description: String {
        switch self {
        case .pathTooLong(let path, let limit):
            "socket path '\(path)' is longer than \(limit) bytes: choose a shorter one"
        case .inUse(let path):
            "another daemon is listening on '\(path)': stop it, or choose another path"
        case .notASocket(let path):
            "'\(path)' exists and is not a socket: remove it, or choose another path"
        case .system(let path, let error): "cannot listen on '\(path)': \(error)"
        }
    }
}

/// A listening Unix socket.
package final class Listener {
    /// How many connections may wait to be accepted; the next client waits while it connects.
    ///
    /// More would be a longer way for who comes behind somebody that connects again and again.
    private static let backlog: Int32 = 256

    /// Where the socket is, for people.
    package let path: String
    /// What the connections of its clients count as.
    package let accountClass: AccountClass
    let descriptor: Descriptor
    /// The file of the socket when the listener was made; nil if it was gone already.
    let identity: SocketIdentity?
    /// Whether clients cannot pass descriptors.
    let refusesDescriptors: Bool
    /// Whether nobody can connect any more, and who has connected is still accepted.
    private(set) var isEnding = false
    /// How often accepting has failed since then, while nobody was connected.
    var lastFailureCount = 0
    /// The file of the socket, if it is the listener's own.
    private var file: SocketFile?

    /// Binds a path and listens.
    ///
    /// A socket file that nobody listens on is replaced; one that somebody does never is. The file is made with no
    /// access for others and gets its mode before the first connection can be made.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - mode: The permissions of the file, such as `0o600`.
    ///   - accountClass: What the connections of its clients count as.
    /// - Throws: ``ListenerError``.
    package init(path: String, mode: UInt32, for accountClass: AccountClass = .socket) throws(ListenerError) {
        var address = sockaddr_un()
        guard address.set(path) else { throw .pathTooLong(path, limit: sockaddr_un.pathLimit) }
        // First, so that no lock is left beside a file that is no socket.
        _ = try Self.isSocket(path)
        let lock = try Self.lock(path)
        try Self.removeStaleSocket(path, address)
        let descriptor = try Self.listen(path, address, mode)
        let file: SocketFile
        do {
            file = try SocketFile(path, lock)
        } catch {
            throw .system(path, error)
        }
        identity = file.identity
        self.file = consume file
        refusesDescriptors = xcb_refuse_descriptors(descriptor.number) == 0
        self.descriptor = descriptor
        self.path = path
        self.accountClass = accountClass
    }

    /// Takes over a socket that listens already; its file stays that of whoever has made it.
    ///
    /// - Parameters:
    ///   - number: The descriptor, which nobody else uses.
    ///   - path: Where the socket is, for people.
    ///   - accountClass: What the connections of its clients count as.
    /// - Throws: ``ListenerError``.
    package init(
        passed number: Int32, at path: String, for accountClass: AccountClass = .socket
    ) throws(ListenerError) {
        let descriptor = Descriptor(number)
        do {
            let flags = try SystemError.check("fcntl") { fcntl(number, F_GETFL) }
            _ = try SystemError.check("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        } catch {
            throw .system(path, error)
        }
        refusesDescriptors = xcb_refuse_descriptors(number) == 0
        self.descriptor = descriptor
        self.path = path
        self.accountClass = accountClass
        // Another file may have been put there since the socket was made.
        let isSocket = (try? Self.isSocket(path)) == true
        identity = isSocket && !isAbandoned(path) ? try? SocketIdentity(ofFile: path) : nil
        file = nil
    }

    /// What it is in the epoll set; there is one listener of each class at most.
    var member: EventLoop.Member { accountClass == .agent ? .agentListener : .listener }

    /// Removes the file of the socket and lets nobody connect any more; false if the socket is somebody else's.
    func endConnecting() -> Bool {
        guard file.take() != nil else { return false }
        isEnding = true
        // Who has found the file before is refused from now on; who has connected can still be accepted.
        _ = xcb_shutdown(descriptor.number, Int32(SHUT_RD))
        return true
    }

    /// Takes the lock that says that a daemon uses the path.
    private static func lock(_ path: String) throws(ListenerError) -> Descriptor {
        let lockPath = path + ".lock"
        do throws(SystemError) {
            let lock = Descriptor(
                try SystemError.check("open '\(lockPath)'") {
                    open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                })
            _ = try SystemError.check("flock") { flock(lock.number, LOCK_EX | LOCK_NB) }
            return lock
        } catch {
            throw error.call == "flock" && error.code == EWOULDBLOCK ? .inUse(path) : .system(path, error)
        }
    }

    private static func listen(
        _ path: String, _ address: sockaddr_un, _ mode: mode_t
    ) throws(ListenerError) -> Descriptor {
        do throws(SystemError) {
            let descriptor = Descriptor(
                try SystemError.check("socket") {
                    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
                })
            let number = descriptor.number
            // The file is made with no more than the socket has; the process's mask is left alone.
            _ = try SystemError.check("fchmod") { fchmod(number, 0o600) }
            _ = try SystemError.check("bind") { address.withPointer { bind(number, $0, $1) } }
            do throws(SystemError) {
                _ = try SystemError.check("chmod") { chmod(path, mode) }
                _ = try SystemError.check("listen") { Glibc.listen(number, backlog) }
            } catch {
                unlink(path)
                throw error
            }
            return descriptor
        } catch {
            throw .system(path, error)
        }
    }

    /// Whether there is a socket at a path, where nothing else may be.
    private static func isSocket(_ path: String) throws(ListenerError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        return true
    }

    private static func removeStaleSocket(_ path: String, _ address: sockaddr_un) throws(ListenerError) {
        guard try isSocket(path) else { return }
        do throws(SystemError) {
            let probe = Descriptor(
                try SystemError.check("socket") {
                    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
                })
            _ = try SystemError.check("connect") { address.withPointer { connect(probe.number, $0, $1) } }
        } catch {
            switch error.code {
            case ECONNREFUSED:
                unlink(path)
                return
            // It has an owner, for whom as many wait as may.
            case EAGAIN: throw .inUse(path)
            default: throw .system(path, error)
            }
        }
        throw .inUse(path)
    }
}

extension sockaddr_un {
    /// How many bytes a path may have.
    static var pathLimit: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Becomes the address of a path; false if that is too long.
    mutating func set(_ path: String) -> Bool {
        guard path.utf8.count <= Self.pathLimit else { return false }
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: path.utf8) }
        return true
    }

    /// Calls a function with the address as the system takes it.
    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: self) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Why clients are not accepted for the moment; what serves them adds reasons of its own from the lowest bit on.
package struct AcceptingHold: OptionSet, Sendable {
    package let rawValue: UInt8

    /// Creates reasons from their bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The system was out of something.
    static let failure = Self(rawValue: 1 << 7)
}
