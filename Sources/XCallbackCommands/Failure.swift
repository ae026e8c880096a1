import XCallback

/// Why the command cannot go on, and how it ends.
package struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    /// What is wrong and what to do, without the name of the command.
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Tells why the daemon did not do what it was asked for.
    init(_ error: ClientError) {
        self.init(ExitStatus(error.reason), error.description)
    }

    /// The message after the name of the command.
    package var description: String { "xcallback: \(message)" }
}
