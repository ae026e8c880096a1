import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// The exit status of the program (sysexits.h).
package enum DaemonExitStatus: Int32, Sendable {
    /// The daemon was told to stop, and has stopped.
    case success = 0
    /// The command line or the passed socket is invalid.
    case usage = 64
    /// Another daemon uses the socket.
    case unavailable = 69
    /// The system refused a basic operation.
    case system = 71
    /// The socket cannot be created.
    case cannotCreate = 73
    /// The daemon was told to stop, and some requests got no answer.
    case incomplete = 75
    /// There is no permission to create the socket.
    case noPermission = 77
    /// The configuration has faults.
    case configuration = 78

    /// Creates the status of a daemon that cannot serve.
    package init(_ error: any Error) {
        guard let error = error as? ListenerError else {
            self = .system
            return
        }
        switch error {
        case .inUse: self = .unavailable
        case .pathTooLong, .notASocket: self = .cannotCreate
        case .system(_, let error) where error.isShortage: self = .system
        case .system(_, let error):
            self = [EACCES, EPERM, EROFS].contains(error.code) ? .noPermission : .cannotCreate
        }
    }
}
