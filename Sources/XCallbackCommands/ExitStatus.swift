import XCallbackClient
import XCallbackPipeline
import XCallbackURL

/// The exit status of the command; numbers from 64 on are those of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    /// The answer is an error of the handler, or any error of the daemon not listed below.
    case errorAnswer = 1
    /// The answer is a cancel.
    case cancelled = 3
    /// The daemon answers with the error 504.
    case timedOut = 4
    /// The daemon answers with the error 403, or denies an operation.
    case refused = 5
    /// The daemon answers with the error 404, or the name or topic is unknown.
    case unknownAction = 6
    /// There is no daemon, it is not trusted, or it has gone away.
    case unreachable = 7
    /// The command line is invalid.
    case usage = 64
    /// The user cannot be asked.
    case unavailable = 69
    /// The results cannot be written.
    case output = 74
    /// The configuration has faults.
    case configuration = 78

    /// Creates the status of a failed call.
    init(_ reason: ClientError.Reason) {
        switch reason {
        case .unreachable, .untrusted, .disconnected, .incompatible: self = .unreachable
        case .denied: self = .refused
        case .unknownName, .unknownTopic, .unknownRoute: self = .unknownAction
        case .invalidCall, .limitReached, .tooLong, .notLoaded, .unavailable, .unknownRequest, .alreadyAnswered,
            .tooLate, .retired, .noSession:
            self = .errorAnswer
        }
    }

    /// Creates the status of an answer.
    init(_ answer: Client.Answer) {
        switch (answer.response, answer.author) {
        case (.success, _), (.redirect, _): self = .success
        case (.cancel, _): self = .cancelled
        case (.error, .handler): self = .errorAnswer
        case (.error(let error), .daemon):
            switch error.code {
            case .timedOut: self = .timedOut
            case .refused: self = .refused
            case .unknownAction: self = .unknownAction
            default: self = .errorAnswer
            }
        }
    }
}
