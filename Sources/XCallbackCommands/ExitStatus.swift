import XCallback
import XCallbackURL

/// How the command ends; the numbers from 64 on are those of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    /// The answer is an error, and none of those below.
    case errorAnswer = 1
    /// The answer is a cancel.
    case cancelled = 3
    /// The answer is the error 504.
    case timedOut = 4
    /// The answer is the error 403.
    case refused = 5
    /// The answer is the error 404.
    case unknownAction = 6
    /// There is no daemon, or none that may be trusted, or it went away.
    case unreachable = 7
    /// The command line is not understood.
    case usage = 64
    /// The results cannot be written.
    case output = 74
    /// The configuration has faults.
    case configuration = 78

    /// Tells the status of a call that has failed.
    init(_ reason: ClientError.Reason) {
        switch reason {
        case .unreachable, .untrusted, .disconnected, .incompatible: self = .unreachable
        case .denied: self = .refused
        case .unknownName, .unknownTopic: self = .unknownAction
        case .invalidCall, .notLoaded, .unknownRequest, .alreadyAnswered, .tooLate: self = .errorAnswer
        }
    }

    /// Tells the status of an answer.
    init(_ outcome: Answer.Outcome) {
        switch outcome {
        case .success, .redirect: self = .success
        case .cancel: self = .cancelled
        case .error(let error):
            switch error.code {
            case .timedOut: self = .timedOut
            case .refused: self = .refused
            case .unknownAction: self = .unknownAction
            default: self = .errorAnswer
            }
        }
    }
}
