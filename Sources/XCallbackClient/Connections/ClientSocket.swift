import CLinux
import Glibc
import XCallbackLinux

/// A non-blocking socket that is connected to the daemon; closed with its last owner.
final class ClientSocket: Sendable {
    /// The interval between attempts: the kernel does not report when another attempt may succeed.
    private static let pause = Duration.milliseconds(20)

    private let descriptor: Descriptor
    /// The number of the descriptor.
    var number: Int32 { descriptor.number }
    /// The user of the daemon.
    let serverUserID: UInt32

    /// Connects to the daemon, and checks its identity.
    ///
    /// If the socket is briefly missing because its unit is restarted, this waits for it.
    ///
    /// - Parameter path: The path of the socket.
    /// - Throws: ``ClientError`` with the reason and the remedy if there is no connection; `CancellationError`.
    init(connectingTo path: String) async throws {
        guard let address = SocketAddress(path) else {
            throw ClientError(
                .unreachable,
                "cannot reach the daemon: the path '\(path)' is longer than \(SocketAddress.pathLimit) bytes")
        }
        let descriptor = try await Self.connect(to: address, at: path)
        serverUserID = try ServerTrust.check(descriptor.number, at: path)
        self.descriptor = descriptor
    }

    private static func connect(to address: SocketAddress, at path: String) async throws -> Descriptor {
        let start = ContinuousClock.now
        while true {
            do throws(SystemError) {
                return try address.connect()
            } catch {
                guard start.duration(to: .now) < patience(with: error.code, at: path) else {
                    throw failure(at: path, error.code)
                }
            }
            try await Task.sleep(for: pause)
        }
    }

    /// Returns for how long an error may be temporary.
    private static func patience(with code: Int32, at path: String) -> Duration {
        switch code {
        // The daemon has not accepted its last clients yet.
        case EAGAIN: .seconds(10)
        case ENOENT: SocketLocation.isChanging(path) ? SocketLocation.changeTime : .zero
        // No process listens: no longer, or not yet.
        case ECONNREFUSED: SocketLocation.changeTime
        default: .zero
        }
    }

    private static func failure(at path: String, _ code: Int32) -> ClientError {
        let text = "cannot reach the daemon at '\(path)': \(systemMessage(code))"
        switch code {
        case EACCES:
            let group = ServerTrust.serviceUserName
            return ClientError(
                .unreachable,
                "\(text)\nonly members of the group '\(group)' can connect to the system's daemon, and only its user to a "
                    + "user's daemon" + (sessionNote().map { "\n\($0)" } ?? ""))
        case EMFILE, ENFILE: return ClientError(.unreachable, text)
        case EAGAIN: return ClientError(.unreachable, "\(text)\nit does not accept connections: it may hang")
        default: return ClientError(.unreachable, text, missing: [path])
        }
    }
}

/// Decides which users may serve the socket: any other user could read the URLs and forge the answers.
package enum ServerTrust {
    /// The system user that runs the system's daemon; members of its group may use the daemon.
    package static let serviceUserName = "xcallback"
    /// What the kernel reports for all users that a user namespace does not have, possibly also the caller.
    private static let hiddenUserID: UInt32 = 65534

    /// Whether the process that serves a socket can be trusted.
    ///
    /// - Parameters:
    ///   - server: The user of the process.
    ///   - caller: The user of the client.
    ///   - service: The user of the system's daemon, if there is one; looked up only if necessary.
    /// - Returns: True for the caller, root and the service user.
    package static func isTrusted(_ server: UInt32, caller: UInt32, service: @autoclosure () -> UInt32?) -> Bool {
        server == caller || server == 0 || server == service()
    }

    /// Checks the process that listens on the other end of a socket.
    ///
    /// - Parameters:
    ///   - socket: The descriptor of the socket.
    ///   - path: Its path, for messages.
    /// - Returns: The user of the process.
    /// - Throws: ``ClientError`` if the process cannot be trusted.
    package static func check(_ socket: Int32, at path: String) throws(ClientError) -> UInt32 {
        var peer = xcb_peer()
        do throws(SystemError) {
            _ = try SystemError.check("getsockopt") { xcb_peer_read(socket, &peer) }
        } catch {
            throw ClientError(.unreachable, "cannot identify the server at '\(path)': \(error); nothing was sent")
        }
        if peer.uid == hiddenUserID, (try? SmallFile("/proc/self/uid_map").text.contains("4294967295")) != true {
            throw ClientError(
                .untrusted(userID: peer.uid),
                "'\(path)' is served by a user that this container hides, which can be any user; nothing was sent\n"
                    + "run 'xcallback' outside, as 'distrobox-host-exec xcallback …' or 'flatpak-spawn --host xcallback …', "
                    + "or share the socket of your own daemon")
        }
        guard isTrusted(peer.uid, caller: geteuid(), service: UserDatabase.userID(named: serviceUserName)) else {
            throw ClientError(
                .untrusted(userID: peer.uid),
                "'\(path)' is served by uid \(peer.uid), not by you, root or '\(serviceUserName)'; "
                    + "nothing was sent" + (sessionNote().map { "\n\($0)" } ?? ""))
        }
        return peer.uid
    }
}
