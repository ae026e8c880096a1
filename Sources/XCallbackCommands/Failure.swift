import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

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

    /// Creates the failure of a call to the daemon; nil for any other error.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ClientError:
            self.init(ExitStatus(error.reason), Self.message(of: error))
            if case .notLoaded(let faults) = error.reason { self.faults = faults }
        case let failure as OpeningFailure: self.init(.errorAnswer, failure.description)
        case let fault as ReplyFault: self.init(ClientError(fault))
        default: return nil
        }
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
