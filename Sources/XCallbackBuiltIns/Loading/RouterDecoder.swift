import Logging
import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Decodes all files of a configuration.
struct RouterDecoder {
    private(set) var limits = Limits()
    private(set) var logLevel = Logger.Level.info
    private(set) var history = HistorySettings()
    private(set) var catalogue = Catalogue()
    /// The names of each drop-in by its path, with those that are not in use.
    private(set) var names: [String: DropInNames] = [:]

    /// The keys that apply to all routes, so drop-ins must not have them.
    private static let globalKeys = ["middleware", "policies", "callbacks", "limits", "log", "history"]

    let documents: ConfigurationDocuments
    let faults: FaultList
    private(set) var options: LoadOptions

    /// Decodes all files; nil without a usable table of routes, which there is without a fault.
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
        options.logger.logLevel = logLevel
        if let node = main?.node("history") { history = HistorySettings(node, faults) }

        let faultCount = faults.reportCount
        let (schemes, descriptions, declared) = decodeSchemes(files, main)
        // The only scheme that a file lists is that of its routes.
        let defaults = declared.map { $0.count == 1 ? $0[0] : nil }
        let areSchemesSound = faults.reportCount == faultCount
        let rules = CallbackRules(
            schemes, main?.mapping("callbacks", of: "the callbacks", such: "{ allow: [app] }"))
        let context = LoadContext(
            options: options, faults: faults, schemes: schemes, knowsAllSchemes: isComplete && areSchemesSound,
            isComplete: isComplete, dropInFiles: documents.dropIns.map(\.place.file), callbackRules: rules,
            limits: limits,
            programs: ProgramNames(NamedPaths(isOfSystem: documents.isOfSystem)))
        let (reader, middleware) = read(files, defaults, main, context)
        note(declared, of: files, schemes, reader)
        var builder = RouteBuilder(context: context)
        let outages = schemes.filter { $0.outage != nil }.map(\.name)
        let routes = builder.routes(of: reader.routes).filter { !outages.contains($0.route.scheme) }
        builder.check(reader.unused)
        let fallback = builder.fallback(middleware, behind: routes)
        catalogue = Catalogue(schemes: descriptions, routes: routes.map(\.declaration.description))
        let knowsAllRoutes = options.onlyRoute == nil && isComplete && areSchemesSound && reader.isSound
        return PipelineBuilder(context: context, routes: routes, fallback: fallback)
            .build(knowsAllRoutes: knowsAllRoutes)
    }

    private func refuseGlobalKeys(in file: MappingReader) {
        for key in Self.globalKeys {
            file.refuse(
                key,
                "\(key.quoted) is for all routes and belongs in \(documents.fileName.quoted): a drop-in holds "
                    + "'schemes', 'define' and 'routes'")
        }
    }

    /// Decodes the schemes, and the names that each file lists.
    private func decodeSchemes(
        _ files: [MappingReader], _ main: MappingReader?
    ) -> (schemes: [SchemeSettings], descriptions: [SchemeDescription], declared: [[String?]]) {
        let faultCount = faults.reportCount
        var decoder = SchemeDecoder(faults)
        let nodes = files.map { $0.node("schemes") }
        let declared = nodes.map { node in node.map { decoder.add($0) } ?? [] }
        decoder.check()
        let unserved = options.unserved?.schemes ?? []
        let schemes =
            decoder.decoded.map { scheme in
                var scheme = scheme
                scheme.outage = unserved.first { $0.name == scheme.name }?.outage
                return scheme
            } + unserved.filter { scheme in !decoder.decoded.contains { $0.name == scheme.name } }
        if schemes.isEmpty, documents.isComplete, faults.reportCount == faultCount {
            // The key is missing or empty.
            let node = nodes.lazy.compactMap(\.self).first ?? main?.requiredNode("schemes")
            if let node { faults.report("expected at least one scheme", at: node.place) }
        }
        return (schemes, decoder.descriptions, declared)
    }

    /// Notes the names of each file that matter to the others.
    private mutating func note(
        _ declared: [[String?]], of files: [MappingReader], _ schemes: [SchemeSettings], _ reader: RouteReader
    ) {
        names = reader.names
        reader.middleware.addNames(to: &names)
        reader.policies.addNames(to: &names)
        for (file, declared) in zip(files, declared) {
            var own = names[file.place.file] ?? DropInNames()
            for scheme in schemes where declared.contains(scheme.name) { own.add(scheme) }
            if declared.contains(nil) { own.isComplete = false }
            names[file.place.file] = own
        }
    }

    /// Reads the routes of all files, and the middleware for requests that no route answers.
    private func read(
        _ files: [MappingReader], _ schemes: [String?], _ main: MappingReader?, _ context: LoadContext
    ) -> (RouteReader, middleware: [StageDeclaration]) {
        var reader = RouteReader(context)
        for file in files { if let mapping = file.mapping("define", of: "the definitions") { reader.define(mapping) } }
        var scope = reader.scope(of: main)
        for (file, scheme) in zip(files, schemes) {
            scope.scheme = scheme
            if let node = file.node("routes") { reader.read(node, in: scope) }
            // It can be a misspelled list of routes.
            for member in file.unknownMembers { faults.noteCut(member.value) }
            file.finish()
        }
        if reader.routes.isEmpty { reader.addUnusedStages(of: scope) }
        if options.onlyRoute == nil { reader.addUnusedStages() }
        return (reader, scope.middleware)
    }
}

extension CallbackRules {
    /// Decodes the list `callbacks: { allow: … }`; without a list, everything that is not dangerous is allowed.
    init(_ schemes: [SchemeSettings], _ reader: MappingReader?) {
        var allowed: [Allowed]?
        if let reader {
            allowed = reader.node("allow")?.elements.compactMap { Allowed($0, reader.faults) }
            reader.finish()
        }
        self.init(schemes, allowed: allowed)
    }
}

extension CallbackRules.Allowed {
    /// Decodes an element of the list; reports an invalid one.
    fileprivate init?(_ node: Node, _ faults: FaultList) {
        guard let text = node.string(faults) else { return nil }
        if let allowed = Self(text) {
            self = allowed
            if case .scheme = allowed, Self.isHost(text) {
                faults.warn(
                    "\(text.quoted) is a scheme here: a web site is written 'https://\(text.lowercased())'",
                    at: node.place)
            }
            return
        }
        faults.report("\(text.quoted) cannot be allowed: \(Self.reason(against: text))", at: node.place)
        return nil
    }
}
