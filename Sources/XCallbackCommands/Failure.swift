import XCallback

/// Why the command cannot go on, and how it ends.
package struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    /// What is wrong and what to do, without the name of the command.
    let message: String
    /// What is wrong elsewhere, each with its place.
    private(set) var faults: [Client.Fault] = []

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Tells why the daemon did not do what it was asked for; nil if the error is none of its kind.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ClientError:
            self.init(ExitStatus(error.reason), error.description)
            if case .notLoaded(let faults) = error.reason { self.faults = faults }
        case let failure as OpeningFailure: self.init(.errorAnswer, failure.description)
        case let fault as ReplyFault: self.init(ClientError(fault))
        default: return nil
        }
    }

    /// The faults, then the message after the name of the command.
    package var description: String {
        (faults.map { "\($0)".withVisibleControls } + ["xcallback: \(message)"]).joined(separator: "\n")
    }
}
