package import Logging
package import XCallbackConfiguration
package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackPrograms

/// What a configuration says, ready to serve.
package struct RouterConfiguration: Sendable {
    /// What turns URLs into answers.
    package let pipeline: Pipeline
    /// The limits.
    package let limits: Limits
    /// What the log shows.
    package let logLevel: Logger.Level
    /// What is likely a mistake, though it can be served.
    package let warnings: ConfigurationWarnings
    /// What was not looked at, as only the service can, if the configuration is only checked here.
    package let leftUnchecked: ConfigurationWarnings
    /// Whether a policy looks into the processes of peers.
    package let looksIntoPeers: Bool
    /// Who owns the users of user namespaces; nobody does until the daemon has read it.
    package var owners = OwnerTable("")
    /// In how many files it stands.
    package let fileCount: Int
    /// What routes and schemes say of themselves.
    package let catalogue: Catalogue

    /// How many routes there are.
    package var routeCount: Int { pipeline.routes.count }

    /// What the configuration holds, in a few words for people.
    package var summary: String {
        Self.summary(of: routeCount, pipeline.schemes.map(\.name), fileCount)
    }

    static func summary(of routeCount: Int, _ schemes: [String], _ fileCount: Int) -> String {
        let files = fileCount > 1 ? " in \(fileCount) files" : ""
        let routes = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        return "valid: \(routes) for \(schemes.joined(separator: ", "))\(files)"
    }

    /// Loads a configuration from its files; every thread may do so.
    ///
    /// - Parameters:
    ///   - places: Where the files are looked for.
    ///   - ownership: Whom the files must belong to.
    ///   - runners: What runs the programs of stages.
    ///   - logger: Where stages log; its level becomes that of the configuration.
    ///   - service: The service that reads the secrets, if the configuration is only checked here.
    ///   - onlyRoute: The identity of the only route that is wanted (``Route/identity``); nil for all. The others are
    ///     not looked into, and no secret is read, so that nobody can be served with what is loaded.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(
        in places: ConfigurationPlaces, ownership: FileOwnership, runners: ProgramRunners = ProgramRunners(),
        logger: Logger, checkedFor service: ServiceUnit? = nil, onlyRoute: String? = nil
    ) throws(ConfigurationError) {
        var documents: ConfigurationDocuments?
        try self.init(
            in: places, ownership: ownership, runners: runners, logger: logger, checkedFor: service,
            onlyRoute: onlyRoute, keeping: &documents)
    }

    /// Loads a configuration from its files, and keeps what was read.
    ///
    /// - Parameters:
    ///   - places: Where the files are looked for.
    ///   - ownership: Whom the files must belong to.
    ///   - runners: What runs the programs of stages.
    ///   - logger: Where stages log; its level becomes that of the configuration.
    ///   - service: The service that reads the secrets, if the configuration is only checked here.
    ///   - onlyRoute: The identity of the only route that is wanted; nil for all.
    ///   - documents: Becomes what was read, which nobody needs any more; to let it go takes a while, and can wait.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(
        in places: ConfigurationPlaces, ownership: FileOwnership, runners: ProgramRunners, logger: Logger,
        checkedFor service: ServiceUnit? = nil, onlyRoute: String? = nil,
        keeping documents: inout ConfigurationDocuments?
    ) throws(ConfigurationError) {
        let faults = FaultList()
        let read = ConfigurationDocuments(in: places, DocumentReader(ownership: ownership), faults: faults)
        documents = read
        let decoder = RouterDecoder(read, faults, runners, logger, service, onlyRoute: onlyRoute)
        try self.init(decoder, read, faults)
    }

    /// Loads a configuration from texts.
    ///
    /// - Parameters:
    ///   - text: The text of the configuration file.
    ///   - name: What messages call it.
    ///   - dropIns: What messages call the drop-ins, and their texts, in order.
    ///   - runners: What runs the programs of stages.
    ///   - logger: Where stages log; its level becomes that of the configuration.
    ///   - service: The service that reads the secrets, if the configuration is only checked here.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(
        text: String, name: String, dropIns: [(name: String, text: String)] = [],
        runners: ProgramRunners = ProgramRunners(), logger: Logger, checkedFor service: ServiceUnit? = nil
    ) throws(ConfigurationError) {
        let faults = FaultList()
        let documents = ConfigurationDocuments(
            main: ConfigurationFile(name, text), dropIns: dropIns.map { ConfigurationFile($0.name, $0.text) },
            faults: faults)
        try self.init(RouterDecoder(documents, faults, runners, logger, service), documents, faults)
    }

    /// Creates a configuration whose pipeline is made by hand.
    package init(pipeline: Pipeline, limits: Limits = Limits(), logLevel: Logger.Level = .info) {
        self.pipeline = pipeline
        self.limits = limits
        self.logLevel = logLevel
        warnings = ConfigurationWarnings()
        leftUnchecked = ConfigurationWarnings()
        looksIntoPeers = false
        fileCount = 0
        catalogue = Catalogue()
    }

    init(
        _ decoder: RouterDecoder, _ documents: ConfigurationDocuments, _ faults: FaultList
    ) throws(ConfigurationError) {
        var decoder = decoder
        let pipeline = decoder.decode()
        try faults.throwIfAny()
        // Without a fault there is a pipeline.
        guard let pipeline else { throw ConfigurationError(faults: []) }
        self.pipeline = pipeline
        limits = decoder.limits
        logLevel = decoder.logLevel
        warnings = faults.warnings
        leftUnchecked = faults.leftUnchecked
        looksIntoPeers = decoder.looksIntoPeers
        fileCount = documents.dropIns.count + 1
        catalogue = decoder.catalogue
    }
}
