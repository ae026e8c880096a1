package import Logging
package import XCallbackConfiguration
package import XCallbackPipeline

/// What a configuration says, ready to serve.
package struct RouterConfiguration: Sendable {
    /// What turns URLs into answers.
    package let pipeline: Pipeline
    /// The limits.
    package let limits: Limits
    /// What the log shows.
    package let logLevel: Logger.Level

    /// How many routes there are.
    package var routeCount: Int { pipeline.schemes.reduce(0) { $0 + $1.routes.count } }

    /// What the configuration holds, in a few words for people.
    package var summary: String {
        let schemes = pipeline.schemes.map(\.name).joined(separator: ", ")
        return "valid: \(routeCount == 1 ? "1 route" : "\(routeCount) routes") for \(schemes)"
    }

    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - ownership: Whom the file must belong to.
    ///   - logger: Where stages log; its level becomes that of the configuration.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(file path: String, ownership: FileOwnership, logger: Logger) throws(ConfigurationError) {
        let faults = FaultList()
        let node = DocumentReader(ownership: ownership).read(file: path, faults: faults)
        try self.init(node, faults, logger)
    }

    /// Reads a configuration from text.
    ///
    /// - Parameters:
    ///   - text: The YAML text.
    ///   - name: What messages call it.
    ///   - logger: Where stages log; its level becomes that of the configuration.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(text: String, name: String, logger: Logger) throws(ConfigurationError) {
        let faults = FaultList()
        let node = DocumentReader(ownership: .any).parse(text, name: name, faults: faults)
        try self.init(node, faults, logger)
    }

    /// Creates a configuration whose pipeline is made by hand.
    package init(pipeline: Pipeline, limits: Limits = Limits(), logLevel: Logger.Level = .info) {
        self.pipeline = pipeline
        self.limits = limits
        self.logLevel = logLevel
    }

    private init(_ node: Node?, _ faults: FaultList, _ logger: Logger) throws(ConfigurationError) {
        guard let node, let reader = MappingReader(node, of: "a configuration", faults: faults) else {
            try faults.throwIfAny()
            throw ConfigurationError(faults: [])
        }
        var decoder = RouterDecoder(reader, faults, logger)
        let pipeline = decoder.decode()
        try faults.throwIfAny()
        guard let pipeline else { throw ConfigurationError(faults: []) }
        self.pipeline = pipeline
        limits = decoder.limits
        logLevel = decoder.logLevel
    }
}
