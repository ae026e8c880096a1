import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// A failure of the command: a message and an exit status.
package struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    /// The problem and the remedy, without the name of the command.
    let message: String
    /// Faults in other places, each with its place.
    private(set) var faults: [Client.Fault] = []

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates a failure without a status of its own.
    init(_ message: String) { self.init(.errorAnswer, message) }

    /// Creates the failure that no route has a name, with the route that was probably meant.
    init(noRoute name: String, among routes: [Client.CatalogueRoute], status: ExitStatus = .unknownAction) {
        let suggestion = name.suggestion(among: routes.map(\.name))
        let end = status == .usage ? "; nothing was sent" : ""
        self.init(status, "no route is called '\(name.withVisibleControls)'\(suggestion)\(end)")
    }

    /// Creates the failure of a call to the daemon; nil for any other error.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ClientError:
            self.init(ExitStatus(error.reason), Self.message(of: error))
            if case .notLoaded(let faults) = error.reason { self.faults = faults }
        case let failure as OpeningFailure:
            let cause = failure.url.flatMap { LinkExamination.cause(of: $0) }
            self.init(cause.map { "\(failure.problem)\n\($0)" } ?? failure.description)
        case let fault as ReplyFault: self.init(ClientError(fault))
        default: return nil
        }
    }

    /// Prints an error, and returns the exit status; nil if the error is neither of the daemon nor of the command.
    static func report(_ error: any Error) -> ExitStatus? {
        if let error = error as? ConfigurationError {
            Terminal.printError(error)
            return .configuration
        }
        guard let failure = Failure(error) else { return nil }
        Terminal.printError(failure)
        if failure.status != .cancelled { UserNotice.showUnseen(failure.message) }
        return failure.status
    }

    /// Returns the message; without a daemon, the service manager is asked how to start it.
    private static func message(of error: ClientError) -> String {
        guard !error.missing.isEmpty else { return error.description }
        let problem = error.description.prefix { $0 != "\n" }
        let start = SocketLocation.startAdvice(for: error.missing)
        let places = ConfigurationPlaces(of: nil)
        // Without a configuration, the caller's own daemon would not start. One at a named socket may read another.
        guard error.missing.count > 1, start.scope != .system, places.isEmpty else {
            return "\(problem)\n\(start.text)"
        }
        let advice = places.commandAdvice == nil ? places.advice : "try 'xcallback setup notes'"
        return "\(problem)\nnothing is set up yet: \(advice)\(start.note)"
    }

    /// The faults, then the message after the name of the command.
    package var description: String {
        (faults.map { "\($0)".withVisibleControls } + ["xcallback: \(message)"]).joined(separator: "\n")
    }
}

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
    /// The system has no threads for the command.
    case system = 71
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
