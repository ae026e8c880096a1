import Glibc
package import Logging
package import XCallbackEventLoop
package import XCallbackLinux
package import XCallbackRouter
import XCallbackWire

/// The log for the programs of a route.
///
/// Each line counts toward the account of the request that causes it.
package struct ProgramLog: Sendable {
    /// The maximum number of bytes of standard error in the log.
    private static let limit = 1024
    /// The maximum number of characters of a cause.
    private static let causeLimit = 300

    private let logger: Logger

    /// Creates the log.
    ///
    /// - Parameter logger: The destination.
    package init(logger: Logger) {
        self.logger = logger
    }

    /// Logs a problem that a person must fix, and records the cause for users who may see it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - metadata: The details.
    ///   - cause: The cause, in a few lowercase words without a full stop.
    ///   - request: The request that fails.
    ///   - host: The host of the stage.
    package func failure(
        _ message: Logger.Message, _ metadata: Logger.Metadata, cause: String, for request: Request,
        _ host: any StageHost
    ) {
        host.note(cause: cause, of: request)
        write(.error, message, metadata, for: request, host)
    }

    /// Logs what is written to standard error once no request waits for it.
    func errors(_ errors: ArraySlice<UInt8>, of name: String, for request: Request, _ host: any StageHost) {
        let metadata: Logger.Metadata = ["program": "\(name)", "program.errors": Self.text(of: errors)]
        write(.info, "a program wrote to standard error", metadata, for: request, host)
    }

    /// The end of what was written to standard error.
    private static func text(of errors: ArraySlice<UInt8>) -> Logger.MetadataValue {
        "\(String(decoding: errors.suffix(limit), as: UTF8.self))"
    }

    /// Records the last line of a program's standard error as the cause, for users who may see it.
    private func noteCause(
        in errors: ArraySlice<UInt8>, _ hint: String?, of request: Request, _ host: any StageHost
    ) {
        let lines = errors.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let line = lines.last(where: { !$0.allSatisfy { $0 <= UInt8(ascii: " ") } }) else { return }
        let text = String(decoding: line, as: UTF8.self)
        var cause = text.count > Self.causeLimit ? "\(text.prefix(Self.causeLimit))…" : text
        // Whoever asks the user says it already.
        let isKnown = text.contains(text: ManagerScope.displayImport)
        if let hint, !isKnown, text.lowercased().contains(text: "display") { cause += " (\(hint))" }
        host.note(cause: cause, of: request)
    }

    /// Logs how a program ended, with the end of its standard error, whose last line is the cause of an error.
    ///
    /// - Parameters:
    ///   - name: The name of the program in the configuration.
    ///   - result: How the program ended.
    ///   - errors: The part of standard error to show.
    ///   - isFailure: Whether the program failed.
    ///   - request: The request.
    ///   - host: The host of the stage.
    func end(
        of name: String, _ result: ChildResult, errors: ArraySlice<UInt8>, isFailure: Bool, for request: Request,
        _ host: any StageHost
    ) {
        var metadata: Logger.Metadata = ["program": "\(name)"]
        // This is how 'env' and shells end if they do not find a program.
        if case .exited(127) = result.ending, let obstacle = ProgramObstacle(starting: name, in: ProgramFolders()) {
            host.note(cause: "\(obstacle)", of: request)
        }
        if case .exited(1...) = result.ending { noteCause(in: errors, result.hint, of: request, host) }
        switch result.ending {
        case .exited(let status): metadata["program.status"] = "\(status)"
        case .killed(let signal): metadata["program.signal"] = "\(signal)"
        }
        if let unit = result.unit { metadata["program.unit"] = "\(unit)" }
        if !errors.isEmpty { metadata["program.errors"] = Self.text(of: errors) }
        if isFailure, Task.isCancelled {
            // The daemon has stopped it because its request is gone.
            write(.info, "a program was stopped with its request", metadata, for: request, host)
        } else if isFailure {
            write(errors.isEmpty ? .info : .warning, "a program failed", metadata, for: request, host)
        } else if errors.isEmpty {
            write(.debug, "a program ended", metadata, for: request, host)
        } else {
            write(.info, "a program wrote to standard error", metadata, for: request, host)
        }
    }

    private func write(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata, for request: Request,
        _ host: any StageHost
    ) {
        guard logger.logLevel <= level, host.takeLogLine(for: request) else { return }
        logger.log(level: level, message, metadata: metadata.merging(request.logMetadata) { first, _ in first })
    }
}

extension Request {
    /// The metadata of every log line about the request.
    package var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["route.pattern": "\(matchedRoute?.name ?? "")", "peer.uid": "\(peer.userID)"]
        if let id { metadata["request.id"] = "\(id)" }
        return metadata
    }
}

extension ChildCommand {
    /// Explains the error of a start, for users who may see the log.
    package func cause(of error: SystemError) -> String {
        let name = String(decoding: arguments.first ?? [], as: UTF8.self)
        let obstacle =
            if let folder, error.call.hasPrefix("chdir") {
                ProgramObstacle(entering: String(decoding: folder, as: UTF8.self))
            } else {
                ProgramObstacle(starting: name, in: ProgramFolders())
            }
        // A program server can see other files than this process.
        if let obstacle, obstacle.code == error.code { return obstacle.description }
        if error.code == ENOEXEC {
            return "'\(name)' is neither a script that begins with '#!' nor a program for this machine"
        }
        return "the program '\(name)' cannot be started: \(error)"
    }
}
