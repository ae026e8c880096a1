package import Logging

/// What the log hears of the programs of a route.
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

    /// Tells of something that a person must mend.
    package func failure(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        logger.error(message, metadata: metadata.merging(["route.pattern": "\(routeName)"]) { first, _ in first })
    }

    /// Shows the end of what a program has written to standard error.
    package func errors(_ errors: ArraySlice<UInt8>, isFailure: Bool) {
        guard !errors.isEmpty else { return }
        logger.log(
            level: isFailure ? .warning : .info, "a program wrote to standard error",
            metadata: [
                "route.pattern": "\(routeName)",
                "program.errors": "\(String(decoding: errors.suffix(Self.limit), as: UTF8.self))",
            ])
    }
}
