import Glibc
package import Logging
package import XCallbackConfiguration
package import XCallbackEventLoop
package import XCallbackPrograms
package import XCallbackRouter
package import XCallbackURL
import XCallbackWire

/// A decoded configuration, ready to serve.
package struct RouterConfiguration: Sendable {
    /// The pipeline, which turns URLs into answers.
    package let pipeline: Pipeline
    /// The limits.
    package private(set) var limits = Limits()
    /// The log level.
    package private(set) var logLevel = Logger.Level.info
    /// What the history keeps.
    package private(set) var history = HistorySettings()
    /// The likely mistakes, which do not prevent serving.
    package private(set) var warnings = ConfigurationWarnings()
    /// The parts that a check could not examine, because only the service can.
    package private(set) var leftUnchecked = ConfigurationWarnings()
    /// The owners of users in user namespaces; empty until the daemon has read them.
    package var owners = OwnerTable("")
    /// The fingerprint of the files when they were read (``ConfigurationPlaces/fingerprint``); nil if nothing compares it.
    package var files: Int?
    /// The number of files of the configuration.
    package private(set) var fileCount = 0
    /// The descriptions of routes and schemes.
    package private(set) var catalogue = Catalogue()
    /// The drop-ins that are not served because they have faults; nil if all files are.
    package private(set) var unserved: UnservedDropIns?
    /// The names of drop-ins to remember, by the names of the files.
    package private(set) var names: [String: DropInNames] = [:]

    /// The number of routes.
    package var routeCount: Int { pipeline.routes.count }

    /// The content of the configuration, in a few words for people.
    package var summary: String {
        Self.summary(of: routeCount, pipeline.schemes.map(\.name), fileCount)
    }

    static func summary(of routeCount: Int, _ schemes: [String], _ fileCount: Int) -> String {
        let files = fileCount > 1 ? " in \(fileCount) files" : ""
        let routes = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        return "valid: \(routes) for \(schemes.joined(separator: ", "))\(files)"
    }

    /// Loads a configuration from its files, on any thread; a single fault in any of them prevents it.
    ///
    /// - Parameters:
    ///   - places: Where to find the files.
    ///   - options: How it is loaded.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(in places: ConfigurationPlaces, _ options: LoadOptions) throws(ConfigurationError) {
        let faults = FaultList()
        let documents = ConfigurationDocuments(in: places, DocumentReader(ownership: options.ownership), faults: faults)
        try self.init(documents, faults, options)
    }

    /// Loads one route that another process has loaded, to make the commands of its programs.
    ///
    /// Faults elsewhere do not matter: a file with a fault counts as missing, and what counts is whether the route is still
    /// the same. Other routes but redirects are not decoded, and no secret is read, so the result
    /// cannot be served.
    ///
    /// - Parameters:
    ///   - route: The route, as the other process has loaded it.
    ///   - places: Where to find the files.
    ///   - ownership: The required owners of the files.
    ///   - logger: The logger of the stages.
    /// - Throws: ``ConfigurationError`` if the route is no longer the same, with all faults, if there are any.
    package init(
        only route: LoadedRoute, in places: ConfigurationPlaces, ownership: FileOwnership, logger: Logger
    ) throws(ConfigurationError) {
        let faults = FaultList()
        let documents = ConfigurationDocuments(
            in: places, DocumentReader(ownership: ownership, dropsFaulty: true), faults: faults, only: route.files)
        let options = LoadOptions(
            ownership: ownership, logger: logger, purpose: .reading, onlyRoute: route.identity)
        var decoder = RouterDecoder(documents: documents, faults: faults, options: options)
        guard let pipeline = decoder.decode(), pipeline.has(route) else {
            throw faults.error ?? ConfigurationError(faults: [])
        }
        self.init(pipeline: pipeline)
    }

    /// Loads a configuration from texts.
    ///
    /// - Parameters:
    ///   - text: The text of the configuration file.
    ///   - name: The file name in messages.
    ///   - dropIns: The names of the drop-ins in messages, and their texts, in order.
    ///   - runners: The runners of the stages' programs.
    ///   - logger: The logger of the stages; its level becomes that of the configuration.
    ///   - purpose: What it is loaded for.
    /// - Throws: ``ConfigurationError`` with all faults.
    package init(
        text: String, name: String, dropIns: [(name: String, text: String)] = [],
        runners: ProgramRunners = ProgramRunners(), logger: Logger, purpose: LoadPurpose = .serving
    ) throws(ConfigurationError) {
        let faults = FaultList()
        let documents = ConfigurationDocuments(
            main: ConfigurationFile(name, text), dropIns: dropIns.map { ConfigurationFile($0.name, $0.text) },
            faults: faults)
        try self.init(
            documents, faults,
            LoadOptions(
                ownership: .rootOrUser(geteuid()), runners: runners, logger: logger, purpose: purpose))
    }

    /// Creates a configuration from an existing pipeline.
    package init(pipeline: Pipeline, limits: Limits = Limits(), logLevel: Logger.Level = .info) {
        self.pipeline = pipeline
        self.limits = limits
        self.logLevel = logLevel
    }

    private init(
        _ documents: ConfigurationDocuments, _ faults: FaultList, _ options: LoadOptions
    ) throws(ConfigurationError) {
        var decoder = RouterDecoder(documents: documents, faults: faults, options: options)
        try self.init(decoder.decode(), of: decoder)
    }

    /// Takes what was decoded.
    init(
        _ pipeline: Pipeline?, of decoder: RouterDecoder, _ known: [String: DropInNames] = [:]
    ) throws(ConfigurationError) {
        let (documents, faults) = (decoder.documents, decoder.faults)
        try faults.throwIfAny()
        // Never fails: without faults, there is a pipeline.
        guard let pipeline else { throw ConfigurationError(faults: []) }
        self.pipeline = pipeline
        limits = decoder.limits
        logLevel = decoder.logLevel
        history = decoder.history
        warnings = faults.warnings
        leftUnchecked = faults.leftUnchecked
        fileCount = documents.dropIns.count + 1
        catalogue = decoder.catalogue
        unserved = decoder.options.unserved
        let served = documents.dropIns.compactMap { file in decoder.names[file.place.file].map { (file.place.file, $0) }
        }
        let unserved = (unserved?.names.keys.sorted() ?? []).compactMap { path in
            known[path.fileName].map { (path, $0) }
        }
        names = Dictionary((served + unserved).map { ($0.0.fileName, $0.1) }) { first, _ in first }
    }
}

extension RouterConfiguration {
    /// Loads a configuration at a start, where a drop-in with faults takes out only itself, and all URLs of its schemes: no other
    /// route may answer instead.
    ///
    /// The schemes of a drop-in are those that it has now, and those that it had when it was last served. What uses a definition
    /// of it has a fault, too.
    ///
    /// - Parameters:
    ///   - places: Where to find the files.
    ///   - options: How the configuration is loaded.
    ///   - known: The names of drop-ins that were served, by the names of the files.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` with all faults, if nothing can be served.
    package static func starting(
        in places: ConfigurationPlaces, _ options: LoadOptions, _ known: [String: DropInNames]
    ) throws(ConfigurationError) -> RouterConfiguration {
        var options = options
        while true {
            let faults = FaultList()
            let left = Set((options.unserved?.names ?? [:]).keys)
            let documents = ConfigurationDocuments(
                in: places, DocumentReader(ownership: options.ownership), faults: faults,
                without: left)
            options.unserved?.totalCount = documents.dropIns.count + 1 + left.count
            var decoder = RouterDecoder(documents: documents, faults: faults, options: options)
            let pipeline = decoder.decode()
            guard let error = faults.error else {
                return try RouterConfiguration(pipeline, of: decoder, known)
            }
            var unserved = options.unserved ?? UnservedDropIns(error: error)
            if options.unserved != nil { unserved.error = unserved.error.adding(error) }
            try unserved.leaveOut(faults, of: documents, decoder.names, known)
            options.unserved = unserved
        }
    }
}

extension Pipeline {
    /// Whether a route exists, and has not changed.
    fileprivate func has(_ route: LoadedRoute) -> Bool {
        (routes + (fallback.map { [$0] } ?? [])).contains {
            areEqual($0.identity, route.identity) && $0.fingerprint == route.content
        }
    }
}

extension RouterConfiguration {
    /// Creates a replacement for a configuration that cannot be served: every request is answered with the error.
    package init(standingInFor error: ConfigurationError) {
        self.init(pipeline: Pipeline(answeringAllWith: CallbackError(error)), logLevel: .error)
        // Nobody knows what the user wants to be kept.
        history.origins = []
    }
}

extension CallbackError {
    /// Creates the error that clients see if a configuration cannot be served.
    package init(_ error: ConfigurationError) {
        let faults = error.count == 1 ? "a fault" : "\(error.count) faults"
        self.init(
            .unavailable,
            "The daemon's configuration has \(faults): 'xcallback check' shows its user and root what to fix; then run "
                + "'xcallback reload'."
        )
    }
}

/// What a configuration is loaded for.
package enum LoadPurpose: Sendable {
    /// To serve it, or to find out whether the daemon could.
    case serving
    /// To find its faults in another process than the daemon, which has its own programs and credentials.
    case checking
    /// To show its routes, without reading any secret.
    case reading
}

/// How a configuration is loaded.
package struct LoadOptions {
    /// The required owners of the files and of secrets.
    let ownership: FileOwnership
    /// The runners of the stages' programs.
    let runners: ProgramRunners
    /// The logger of the stages.
    var logger: Logger
    let purpose: LoadPurpose
    /// The identity of the only route to load; nil for all.
    var onlyRoute: String?
    /// The drop-ins that are left out.
    var unserved: UnservedDropIns?

    /// Creates options.
    package init(
        ownership: FileOwnership, runners: ProgramRunners = ProgramRunners(), logger: Logger,
        purpose: LoadPurpose = .serving, onlyRoute: String? = nil
    ) {
        (self.ownership, self.runners, self.logger) = (ownership, runners, logger)
        (self.purpose, self.onlyRoute) = (purpose, onlyRoute)
    }
}
