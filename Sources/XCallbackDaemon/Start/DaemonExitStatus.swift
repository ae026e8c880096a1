import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// How the program ends (sysexits.h).
package enum DaemonExitStatus: Int32, Sendable {
    /// It was told to stop, and has.
    case success = 0
    /// The command line, or the socket that was passed, is not understood.
    case usage = 64
    /// Another daemon has the socket.
    case unavailable = 69
    /// The system refused something that every program needs.
    case system = 71
    /// The socket cannot be made.
    case cannotCreate = 73
    /// It was told to stop, and had to leave requests without their answers.
    case incomplete = 75
    /// The socket may not be made.
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
