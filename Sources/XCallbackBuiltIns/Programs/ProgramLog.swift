import Glibc
package import Logging
package import XCallbackEventLoop
package import XCallbackLinux
package import XCallbackPipeline

/// The log for the programs of a route.
///
/// Each line counts toward the account of the request that causes it.
package struct ProgramLog: Sendable {
    /// The maximum number of bytes of standard error in the log.
    private static let limit = 1024
    /// The maximum number of characters of a cause.
    private static let causeLimit = 300

    private let routeName: String
    private let logger: Logger

    /// Creates the log.
    ///
    /// - Parameters:
    ///   - routeName: The route's scheme and pattern.
    ///   - logger: The destination.
    package init(routeName: String, logger: Logger) {
        self.routeName = routeName
        self.logger = logger
    }

    /// Logs a problem that a person must fix, and records the cause for users who may see it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - metadata: The details.
    ///   - cause: The cause, in a few lowercase words without a full stop.
    ///   - request: The request that fails.
    ///   - loop: The loop of the caller.
    package func failure(
        _ message: Logger.Message, _ metadata: Logger.Metadata, cause: String, for request: Request,
        on loop: EventLoop?
    ) {
        loop?.assumeIsolated { $0.programService?.failureCauses.note(cause, of: request) }
        write(.error, message, metadata, for: request, on: loop)
    }

    /// Records the last line of a program's standard error as the cause, for users who may see it.
    private func noteCause(in errors: ArraySlice<UInt8>, _ hint: String?, of request: Request, on loop: EventLoop?) {
        let lines = errors.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let line = lines.last(where: { !$0.allSatisfy { $0 <= UInt8(ascii: " ") } }) else { return }
        let text = String(decoding: line, as: UTF8.self)
        var cause = text.count > Self.causeLimit ? "\(text.prefix(Self.causeLimit))…" : text
        if let hint, text.lowercased().contains("display") { cause += " (\(hint))" }
        loop?.assumeIsolated { [cause] loop in loop.programService?.failureCauses.note(cause, of: request) }
    }

    /// Logs how a program ended, with the end of its standard error, whose last line is the cause of an error.
    ///
    /// - Parameters:
    ///   - name: The name of the program in the configuration.
    ///   - result: How the program ended.
    ///   - errors: The part of standard error to show.
    ///   - isFailure: Whether the program failed.
    ///   - request: The request.
    ///   - loop: The loop of the caller.
    func end(
        of name: String, _ result: ChildResult, errors: ArraySlice<UInt8>, isFailure: Bool, for request: Request,
        on loop: EventLoop?
    ) {
        var metadata: Logger.Metadata = ["program": "\(name)"]
        if case .exited(1...) = result.ending { noteCause(in: errors, result.hint, of: request, on: loop) }
        switch result.ending {
        case .exited(let status): metadata["program.status"] = "\(status)"
        case .killed(let signal): metadata["program.signal"] = "\(signal)"
        }
        if let unit = result.unit { metadata["program.unit"] = "\(unit)" }
        if !errors.isEmpty {
            metadata["program.errors"] = "\(String(decoding: errors.suffix(Self.limit), as: UTF8.self))"
        }
        let (level, sentence): (Logger.Level, Logger.Message) =
            switch (isFailure, errors.isEmpty) {
            // The daemon has stopped it because its request is gone.
            case (true, _) where Task.isCancelled: (.info, "a program was stopped with its request")
            case (true, let isSilent): (isSilent ? .info : .warning, "a program failed")
            case (false, false): (.info, "a program wrote to standard error")
            case (false, true): (.debug, "a program ended")
            }
        write(level, sentence, metadata, for: request, on: loop)
    }

    private func write(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata, for request: Request,
        on loop: EventLoop?
    ) {
        guard logger.logLevel <= level else { return }
        let isAllowed = loop?.assumeIsolated { $0.programService?.takeLogLine(for: request, on: $0) ?? true }
        if isAllowed == false { return }
        var source = request.logMetadata
        // The request may have moved on to another route than that of the stage.
        source["route.pattern"] = "\(routeName)"
        logger.log(level: level, message, metadata: metadata.merging(source) { first, _ in first })
    }
}

extension Request {
    /// The metadata of every log line about the request.
    package var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["route.pattern": "\(route)", "peer.uid": "\(peer.userID)"]
        if let id { metadata["request.id"] = "\(id)" }
        return metadata
    }
}

/// The causes of the latest failures that clients see only as failures, for users who may see them.
///
/// Lives on the event loop.
package final class FailureCauses {
    /// The maximum number of causes; a cause is requested shortly after the failure, or never.
    private static let limit = 64

    private var causes: [(id: RequestID, text: String)] = []

    /// Creates an empty list.
    package init() {}

    /// Records the cause of a failure; the first cause of a request is kept.
    package func note(_ text: String, of request: Request) {
        guard let id = request.id, !causes.contains(where: { $0.id == id }) else { return }
        if causes.count == Self.limit { causes.removeFirst() }
        causes.append((id, text))
    }

    /// Removes and returns the cause of a request's failure; nil if it is unknown.
    package func take(_ id: RequestID?) -> String? {
        guard let index = causes.firstIndex(where: { $0.id == id }) else { return nil }
        return causes.remove(at: index).text
    }
}

/// The service of a loop whose stages run programs.
package protocol ProgramService: LoopService {
    /// The causes of the latest failures, for users who may see them.
    var failureCauses: FailureCauses { get }

    /// The questions that assistants and the desktop cause users to be asked.
    var questionLimits: QuestionLimits { get }

    /// Counts a log line for a request; returns whether the line may be written.
    func takeLogLine(for request: Request, on loop: isolated EventLoop) -> Bool
}

extension EventLoop {
    /// The service of the loop, if its stages run programs.
    package var programService: (any ProgramService)? { service as? any ProgramService }
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
            return "'\(name)' is a script whose first line does not name a program: '#!/bin/sh'"
        }
        return "the program '\(name)' cannot be started: \(error)"
    }
}
