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

    /// Logs something that a person must fix.
    package func failure(
        _ message: Logger.Message, _ metadata: Logger.Metadata, for request: Request, on loop: EventLoop?
    ) {
        write(.error, message, metadata, for: request, on: loop)
    }

    /// Shows the end of what a program has written to standard error.
    package func errors(_ errors: ArraySlice<UInt8>, isFailure: Bool, for request: Request, on loop: EventLoop?) {
        guard !errors.isEmpty else { return }
        let text = String(decoding: errors.suffix(Self.limit), as: UTF8.self)
        write(
            isFailure ? .warning : .info, "a program wrote to standard error", ["program.errors": "\(text)"],
            for: request, on: loop)
    }

    private func write(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata, for request: Request,
        on loop: EventLoop?
    ) {
        guard logger.logLevel <= level, loop?.takeLogLine(for: request) ?? true else { return }
        let source: Logger.Metadata = ["route.pattern": "\(routeName)", "peer.uid": "\(request.peer.userID)"]
        logger.log(level: level, message, metadata: metadata.merging(source) { first, _ in first })
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
