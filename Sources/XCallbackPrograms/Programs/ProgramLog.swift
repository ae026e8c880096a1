package import Logging
package import XCallbackEventLoop
package import XCallbackPipeline

/// What the log hears of the programs of a route.
///
/// Each line counts with the account of the request that causes it.
package struct ProgramLog: Sendable {
    /// How much of standard error it shows at most.
    private static let limit = 1024

    private let routeName: String
    private let logger: Logger

    /// Creates what writes to the log.
    ///
    /// - Parameters:
    ///   - routeName: The route's scheme and pattern.
    ///   - logger: Where it writes.
    package init(routeName: String, logger: Logger) {
        self.routeName = routeName
        self.logger = logger
    }

    /// Logs something that a person must fix, and lets those who may know it be told.
    ///
    /// - Parameters:
    ///   - message: What has happened.
    ///   - metadata: More of it.
    ///   - cause: What is wrong, in a few words, in lower case and without a full stop.
    ///   - request: The request that fails.
    ///   - loop: The loop on which the caller runs.
    package func failure(
        _ message: Logger.Message, _ metadata: Logger.Metadata, cause: String, for request: Request,
        on loop: EventLoop?
    ) {
        loop?.assumeIsolated { $0.failureCauses.note(cause, of: request) }
        write(.error, message, metadata, for: request, on: loop)
    }

    /// Lets those who may know it be told the last line that a program has written to standard error as the cause.
    package func note(lastLineOf errors: ArraySlice<UInt8>, of request: Request, on loop: EventLoop?) {
        guard let line = errors.split(separator: UInt8(ascii: "\n")).last else { return }
        let cause = String(decoding: line.prefix(Self.limit), as: UTF8.self)
        loop?.assumeIsolated { $0.failureCauses.note(cause, of: request) }
    }

    /// Tells how a program has ended, and shows the end of what it has written to standard error.
    ///
    /// - Parameters:
    ///   - name: The program, as the configuration names it.
    ///   - result: How it has ended.
    ///   - errors: What is to be shown of its standard error.
    ///   - isFailure: Whether it has failed.
    ///   - request: What it was run for.
    ///   - loop: The loop on which the caller runs.
    func end(
        of name: String, _ result: ChildResult, errors: ArraySlice<UInt8>, isFailure: Bool, for request: Request,
        on loop: EventLoop?
    ) {
        var metadata: Logger.Metadata = ["program": "\(name)"]
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
            // The daemon has ended it, as nobody waits for it any more.
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
        guard logger.logLevel <= level, loop?.takeLogLine(for: request) ?? true else { return }
        var source = request.logMetadata
        // The stage may be one of a route that the request has left for another.
        source["route.pattern"] = "\(routeName)"
        logger.log(level: level, message, metadata: metadata.merging(source) { first, _ in first })
    }
}

extension Request {
    /// What each line of the log that tells of the request has.
    package var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["route.pattern": "\(route)", "peer.uid": "\(peer.userID)"]
        if let id { metadata["request.id"] = "\(id)" }
        return metadata
    }
}

extension EventLoop {
    /// Takes a line of the log for a request; the caller runs on the loop.
    fileprivate nonisolated func takeLogLine(for request: Request) -> Bool {
        assumeIsolated { loop in
            guard let service = loop.service as? any ProgramService else { return true }
            return service.takeLogLine(for: request, on: loop)
        }
    }
}
