import Logging
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL

/// Decodes all files of a configuration.
struct RouterDecoder {
    private(set) var limits = Limits()
    private(set) var logLevel = Logger.Level.info
    private(set) var catalogue = Catalogue()

    /// The keys that apply to all routes, so drop-ins must not have them.
    private static let globalKeys = ["middleware", "policies", "callbacks", "limits", "log"]

    private let documents: ConfigurationDocuments
    private let faults: FaultList
    private let runners: ProgramRunners
    private var logger: Logger
    /// The required owners of secrets.
    private let ownership: FileOwnership
    private let purpose: LoadPurpose
    /// The identity of the only route to load; nil for all.
    private let onlyRoute: String?

    init(
        _ documents: ConfigurationDocuments, _ faults: FaultList, _ runners: ProgramRunners, _ logger: Logger,
        _ ownership: FileOwnership, _ purpose: LoadPurpose, onlyRoute: String? = nil
    ) {
        self.ownership = ownership
        self.purpose = onlyRoute == nil ? purpose : .reading
        self.onlyRoute = onlyRoute
        self.documents = documents
        self.faults = faults
        self.runners = runners
        self.logger = logger
    }

    /// Decodes all files; nil after a fault.
    mutating func decode() -> Pipeline? {
        let main = documents.main.flatMap { MappingReader($0, of: "a configuration", faults: faults) }
        let dropIns = documents.dropIns.compactMap { MappingReader($0, of: "a drop-in", faults: faults) }
        let files = (main.map { [$0] } ?? []) + dropIns
        let isComplete = documents.isComplete && files.count == documents.dropIns.count + 1
        for file in dropIns { refuseGlobalKeys(in: file) }
        if let mapping = main?.mapping("limits", of: "the limits") { limits = Limits(mapping) }
        if let mapping = main?.mapping("log", of: "the log", such: "{ level: debug }") {
            logLevel = mapping.choice("level", of: Logger.Level.self) ?? logLevel
            mapping.finish()
        }
        logger.logLevel = logLevel

        let faultCount = faults.reportCount
        let (schemes, descriptions, defaults) = decodeSchemes(files, main)
        let areSchemesSound = faults.reportCount == faultCount
        let rules = CallbackRules(
            schemes, main?.mapping("callbacks", of: "the callbacks", such: "{ allow: [app] }"))
        let surroundings = StageSource.Surroundings(
            faults: faults, logger: logger, schemes: schemes,
            knowsAllSchemes: isComplete && areSchemesSound, isComplete: isComplete, callbackRules: rules,
            limits: limits, paths: NamedPaths(isOfSystem: documents.isOfSystem), runners: runners,
            ownership: ownership, purpose: purpose, onlyRoute: onlyRoute)
        var decoder = RouteDecoder(surroundings)
        for file in files { if let mapping = file.mapping("define", of: "the definitions") { decoder.define(mapping) } }
        let fallback = decode(files, defaults, main, with: &decoder)
        DesktopSpelling(decoder.routes, schemes).warn(faults)
        catalogue = Catalogue(schemes: descriptions, routes: decoder.routes.map(\.description))
        let builder = PipelineBuilder(
            schemes: schemes, routes: decoder.routes, callbackRules: rules, limits: limits, fallback: fallback)
        let knowsAllRoutes = onlyRoute == nil && isComplete && areSchemesSound && decoder.isSound
        let pipeline = builder.build(faults, knowsAllRoutes: knowsAllRoutes)
        return faults.isEmpty ? pipeline : nil
    }

    private func refuseGlobalKeys(in file: MappingReader) {
        for key in Self.globalKeys {
            file.refuse(
                key,
                "\(key.quoted) is for all routes and belongs in \(documents.fileName.quoted): a drop-in holds "
                    + "'schemes', 'define' and 'routes'")
        }
    }

    /// Decodes the schemes, and for each file the default scheme of its routes.
    private func decodeSchemes(
        _ files: [MappingReader], _ main: MappingReader?
    ) -> (schemes: [SchemeSettings], descriptions: [SchemeDescription], defaults: [String?]) {
        let faultCount = faults.reportCount
        var decoder = SchemeDecoder(faults)
        let nodes = files.map { $0.node("schemes") }
        let defaults = nodes.map { node in node.flatMap { decoder.add($0) } }
        decoder.check()
        if decoder.decoded.isEmpty, documents.isComplete, faults.reportCount == faultCount {
            // The key is missing or empty.
            let node = nodes.lazy.compactMap(\.self).first ?? main?.requiredNode("schemes")
            if let node { faults.report("expected at least one scheme", at: node.place) }
        }
        return (decoder.decoded, decoder.descriptions, defaults)
    }

    /// Decodes the routes of all files, and the middleware for requests that no route answers.
    private func decode(
        _ files: [MappingReader], _ schemes: [String?], _ main: MappingReader?, with decoder: inout RouteDecoder
    ) -> Route? {
        let middleware = main?.node("middleware").map { Array($0.elements) } ?? []
        let policies = main?.node("policies").map { Array($0.elements) } ?? []
        for (file, scheme) in zip(files, schemes) {
            let scope = RouteScope(scheme: scheme, middleware: middleware, policies: policies)
            if let node = file.node("routes") { decoder.decode(node, in: scope) }
            file.finish()
        }
        if decoder.routes.isEmpty { decoder.check(RouteScope(scheme: nil, middleware: middleware, policies: policies)) }
        if onlyRoute == nil { decoder.checkUnusedDefinitions() }
        return decoder.decodeFallback(middleware)
    }
}
