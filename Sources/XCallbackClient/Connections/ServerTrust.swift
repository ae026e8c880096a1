import CLinux
import Glibc
import XCallbackLinux

/// Decides which users may serve the socket: any other user could read the URLs and forge the answers.
package enum ServerTrust {
    /// The system user that runs the system's daemon; members of its group may use the daemon.
    package static let serviceUserName = "xcallback"

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
    /// - Throws: ``ClientError`` if the process cannot be trusted.
    package static func check(_ socket: Int32, at path: String) throws(ClientError) {
        var peer = xcb_peer()
        do throws(SystemError) {
            _ = try SystemError.check("getsockopt") { xcb_peer_read(socket, &peer) }
        } catch {
            throw ClientError(.unreachable, "cannot identify the server at '\(path)': \(error); nothing was sent")
        }
        guard isTrusted(peer.uid, caller: geteuid(), service: UserDatabase.userID(named: serviceUserName)) else {
            throw ClientError(
                .untrusted(userID: peer.uid),
                "'\(path)' is served by uid \(peer.uid), not by you, root or '\(serviceUserName)'; "
                    + "nothing was sent" + (sessionNote().map { "\n\($0)" } ?? ""))
        }
    }
}
