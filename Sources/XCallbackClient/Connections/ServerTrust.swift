import CLinux
import Glibc
import XCallbackLinux

/// Who may serve the socket: whoever else put one there would see the URLs and make up the answers.
package enum ServerTrust {
    /// The system user that runs the system's daemon, and whose group may use it.
    package static let serviceUserName = "xcallback"

    /// Whether the process behind a socket is to be trusted.
    ///
    /// - Parameters:
    ///   - server: Its user.
    ///   - caller: The user that runs the client.
    ///   - service: The user of the system's daemon, if there is one; looked up only if it matters.
    /// - Returns: Whether it is the caller's own, root's or the service's.
    package static func isTrusted(_ server: UInt32, caller: UInt32, service: @autoclosure () -> UInt32?) -> Bool {
        server == caller || server == 0 || server == service()
    }

    /// Checks who has listened on the other end of a socket.
    ///
    /// - Parameters:
    ///   - socket: Its number.
    ///   - path: Its path, for messages.
    /// - Throws: ``ClientError`` if that is nobody to be trusted.
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
                    + "nothing was sent")
        }
    }
}
