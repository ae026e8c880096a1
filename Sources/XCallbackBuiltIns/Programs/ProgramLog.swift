import Logging

/// What the log hears of the programs of a route.
struct ProgramLog: Sendable {
    /// How much of standard error it shows at most.
    private static let limit = 1024

    private let routeName: String
    private let logger: Logger

    init(_ source: StageSource) {
        routeName = source.route.name
        logger = source.surroundings.logger
    }

    /// Tells of something that a person must mend.
    func failure(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        logger.error(message, metadata: metadata.merging(["route.pattern": "\(routeName)"]) { first, _ in first })
    }

    /// Shows the end of what a program has written to standard error.
    func errors(_ errors: ArraySlice<UInt8>, isFailure: Bool) {
        guard !errors.isEmpty else { return }
        logger.log(
            level: isFailure ? .warning : .info, "a program wrote to standard error",
            metadata: [
                "route.pattern": "\(routeName)",
                "program.errors": "\(String(decoding: errors.suffix(Self.limit), as: UTF8.self))",
            ])
    }
}
