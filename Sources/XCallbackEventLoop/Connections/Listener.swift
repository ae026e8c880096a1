import CLinux
import Glibc
package import XCallbackLinux

/// The reason why a listening socket could not be opened.
package enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path is too long for the address of a Unix socket.
    case pathTooLong(String, limit: Int)
    /// Another daemon is listening there.
    case inUse(String)
    /// Another kind of file is at the path.
    case notASocket(String)
    /// A system call failed.
    case system(String, SystemError)

    /// The problem, the path, and the remedy.
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
    /// The maximum number of connections that wait to be accepted; the next client blocks while it connects.
    ///
    /// A longer queue would delay clients behind one that connects again and again.
    private static let backlog: Int32 = 256

    /// The path of the socket, for people.
    package let path: String
    /// The class of account toward which the connections count.
    package let accountClass: AccountClass
    let descriptor: Descriptor
    /// Whether clients cannot pass descriptors.
    let refusesDescriptors: Bool
    /// Whether new connections are refused, while existing ones are still accepted.
    private(set) var isEnding = false
    /// The file of the socket, if the listener owns it.
    private var file: SocketFile?

    /// Binds a path and listens.
    ///
    /// A socket file without a listener is replaced; one with a listener never is. The file is created without access for
    /// others and gets its mode before the first connection can be made.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - mode: The permissions of the file, such as `0o600`.
    ///   - accountClass: The class of account toward which the connections count.
    /// - Throws: ``ListenerError``.
    package init(path: String, mode: UInt32, for accountClass: AccountClass = .socket) throws(ListenerError) {
        guard let address = SocketAddress(path) else { throw .pathTooLong(path, limit: SocketAddress.pathLimit) }
        // First, so that no lock file is left next to a file that is not a socket.
        _ = try Self.isSocket(path)
        let lock = try Self.lock(path)
        try Self.removeStaleSocket(path, address)
        let descriptor = try Self.listen(path, address, mode)
        file = SocketFile(path, lock)
        refusesDescriptors = xcb_refuse_descriptors(descriptor.number) == 0
        self.descriptor = descriptor
        self.path = path
        self.accountClass = accountClass
    }

    /// Takes over a socket that is already listening; its file still belongs to the process that created it.
    ///
    /// - Parameters:
    ///   - number: The descriptor, which must have no other user.
    ///   - path: The path of the socket, for people.
    ///   - accountClass: The class of account toward which the connections count.
    /// - Throws: ``ListenerError``.
    package init(
        passed number: Int32, at path: String, for accountClass: AccountClass = .socket
    ) throws(ListenerError) {
        let descriptor = Descriptor(number)
        do {
            try descriptor.makeNonblocking()
        } catch {
            throw .system(path, error)
        }
        refusesDescriptors = xcb_refuse_descriptors(number) == 0
        self.descriptor = descriptor
        self.path = path
        self.accountClass = accountClass
        file = nil
    }

    /// The listener's number in the epoll set; there is at most one listener of each class.
    var member: EventLoop.Member { accountClass == .agent ? .agentListener : .listener }

    /// Removes the socket file and refuses new connections; returns false if another process owns the socket.
    func endConnecting() -> Bool {
        guard file.take() != nil else { return false }
        isEnding = true
        // Clients that have found the file are refused from now on; existing connections can still be accepted.
        _ = xcb_shutdown(descriptor.number, Int32(SHUT_RD))
        return true
    }

    /// Takes the lock that marks the path as used by a daemon.
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
        _ path: String, _ address: SocketAddress, _ mode: mode_t
    ) throws(ListenerError) -> Descriptor {
        do throws(SystemError) {
            let descriptor = try SocketAddress.makeSocket()
            let number = descriptor.number
            // The file gets the same permissions as the socket; the umask of the process does not change.
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

    /// Whether a socket is at a path; any other file there is an error.
    private static func isSocket(_ path: String) throws(ListenerError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        return true
    }

    private static func removeStaleSocket(_ path: String, _ address: SocketAddress) throws(ListenerError) {
        guard try isSocket(path) else { return }
        do throws(SystemError) {
            _ = try address.connect()
        } catch {
            switch error.code {
            case ECONNREFUSED:
                unlink(path)
                return
            // It has an owner, and the maximum number of clients waits for it.
            case EAGAIN: throw .inUse(path)
            default: throw .system(path, error)
            }
        }
        throw .inUse(path)
    }
}

/// The file of a socket, with the lock that keeps other daemons from its path; removed with its owner.
private struct SocketFile: ~Copyable {
    private let path: String
    private let identity: FileIdentity?
    private let lock: Descriptor

    init(_ path: String, _ lock: consuming Descriptor) {
        identity = FileIdentity(ofFile: path, isFollowed: false)
        self.path = path
        self.lock = lock
    }

    deinit {
        // If another process has taken over the path, the file stays.
        if identity != nil, FileIdentity(ofFile: path, isFollowed: false) == identity { unlink(path) }
    }
}

extension Descriptor {
    func makeNonblocking() throws(SystemError) {
        let number = number
        let flags = try SystemError.check("fcntl") { fcntl(number, F_GETFL) }
        _ = try SystemError.check("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }
}
