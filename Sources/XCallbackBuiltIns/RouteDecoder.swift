import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Decodes routes, with what the configuration says of all of them.
struct RouteDecoder {
    /// What stands before every route.
    var globalMiddleware: [Node] = []
    var globalPolicies: [Node] = []
    /// Where each route is declared.
    private(set) var places: [ObjectIdentifier: Place] = [:]

    private let surroundings: StageSource.Surroundings
    private var namedMiddleware: [String: [Node]] = [:]
    private var namedPolicies: [String: [Node]] = [:]

    private var faults: FaultList { surroundings.faults }

    init(surroundings: StageSource.Surroundings) {
        self.surroundings = surroundings
    }

    /// Takes the stages that the configuration names for use below.
    mutating func define(_ reader: MappingReader) {
        for member in reader.members("middleware") ?? [] {
            check(member, isFree: Registry.middleware[member.key] == nil)
            namedMiddleware[member.key] = member.value.elements
        }
        for member in reader.members("policies") ?? [] {
            check(member, isFree: Registry.policies[member.key] == nil)
            namedPolicies[member.key] = member.value.elements
        }
        reader.finish()
    }

    /// Decodes a route; nil after a fault, or if it is not enabled.
    mutating func decode(_ node: Node) -> Route? {
        guard let reader = MappingReader(node, of: "a route", faults: faults) else { return nil }
        let isPublic = reader.bool("public") ?? false
        let isEnabled = reader.bool("enabled") ?? true
        let readsForms = reader.bool("form") ?? false
        let timeout = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400))
        let input = Input(reader.members("input") ?? [], isStrict: reader.bool("strict") ?? false, faults: faults)
        let address = decodeAddress(reader)
        let middlewareNodes = globalMiddleware + (reader.node("middleware")?.elements ?? [])
        let policyNodes = globalPolicies + (reader.node("policies")?.elements ?? [])
        let handlers = Registry.handlers.keys.sorted().compactMap { key in reader.node(key).map { (key, $0) } }
        guard let (scheme, pattern) = address else {
            Registry.handlerKeys.forEach { _ = reader.node($0) }
            reader.finish()
            return nil
        }
        checkWildcards(of: pattern, input, at: reader.node("input")?.place ?? node.place)
        let facts = StageSource.RouteFacts(name: "\(scheme):\(pattern.text)", pattern: pattern, input: input)
        let middleware = decodeStages(middlewareNodes, facts, Registry.middleware, namedMiddleware, "middleware")
        let policies = decodeStages(policyNodes, facts, Registry.policies, namedPolicies, "policy")
        let decoded = decodeHandler(handlers, facts, reader)
        reader.finish()
        guard let (handlerName, handler) = decoded else { return nil }
        guard isEnabled else { return nil }
        var stages = Route.Stages(handler: handler)
        stages.handlerName = handlerName
        stages.middleware = middleware
        stages.policies = policies
        stages.input = input
        let route = Route(
            scheme: scheme, pattern: pattern, place: "\(node.place.file):\(node.place.line)", isPublic: isPublic,
            readsForms: readsForms, timeout: timeout, stages: stages)
        places[ObjectIdentifier(route)] = reader.node("route")?.place ?? node.place
        return route
    }

    /// What the middleware of all routes makes of a request for which there is no route; nil without middleware.
    ///
    /// It is told once for all that is wrong with the stages that all routes share, even if there are no routes.
    func decodeFallback() -> Route? {
        guard let pattern = Self.anyAction else { return nil }
        let facts = StageSource.RouteFacts(name: "*:\(pattern.text)", pattern: pattern, input: Input([]))
        var stages = Route.Stages(handler: .immediate(NoRouteHandler(schemes: surroundings.ownSchemes)))
        stages.middleware = decodeStages(globalMiddleware, facts, Registry.middleware, namedMiddleware, "middleware")
        return stages.middleware.isEmpty ? nil : Route(scheme: "*", pattern: pattern, stages: stages)
    }

    /// The pattern under which the log names a request for which there is no route.
    private static let anyAction: RoutePattern? = {
        do {
            return try RoutePattern("/*action")
        } catch {
            return nil
        }
    }()

    /// Reports wildcards that are declared to have one value.
    private func checkWildcards(of pattern: RoutePattern, _ input: Input, at place: Place) {
        for declaration in input.declarations where !declaration.rule.isList {
            guard pattern.captures.contains(where: { $0.isWildcard && $0.name == declaration.name }) else { continue }
            faults.report(
                "\(declaration.name.quoted) is a wildcard and has many values: expected "
                    + "'{ type: list, of: \(declaration.rule.type.name) }'", at: place)
        }
    }

    private func check(_ member: Node.Member, isFree: Bool) {
        if !isFree { faults.report("\(member.key.quoted) is built in and cannot be defined", at: member.place) }
    }

    /// The scheme and the pattern under `route`; the scheme may be left out where there is only one.
    private func decodeAddress(_ reader: MappingReader) -> (scheme: String, pattern: RoutePattern)? {
        guard let node = reader.requiredNode("route"), let text = node.string(faults) else { return nil }
        var scheme = ""
        var patternText = text[...]
        if !text.hasPrefix("/"), !text.hasPrefix("{"), let colon = text.firstIndex(of: ":") {
            scheme = text[..<colon].lowercased()
            patternText = text[text.index(after: colon)...]
            guard surroundings.ownSchemes.contains(scheme) else {
                let suggestion = scheme.suggestion(among: surroundings.ownSchemes)
                faults.report("the scheme \(scheme.quoted) is not listed under 'schemes'\(suggestion)", at: node.place)
                return nil
            }
        } else if surroundings.ownSchemes.count == 1 {
            scheme = surroundings.ownSchemes[0]
        } else {
            faults.report("expected a scheme and a pattern, such as notes:/ping", at: node.place)
            return nil
        }
        do {
            return (scheme, try RoutePattern(String(patternText)))
        } catch {
            let skipped = text.unicodeScalars.count - patternText.unicodeScalars.count
            faults.report("\(error)", at: node.place(ofScalar: skipped + error.position))
            return nil
        }
    }

    /// Decodes a list of stages; each is a word, or a mapping of words to their settings.
    private func decodeStages<Stage>(
        _ nodes: [Node], _ facts: StageSource.RouteFacts, _ registry: [String: @Sendable (StageSource) -> Stage?],
        _ named: [String: [Node]], _ kind: String, from position: Int = 0
    ) -> [Stage] {
        var stages: [Stage] = []
        for node in nodes {
            for (name, place, value) in node.stageWords(faults) {
                if let definition = named[name] {
                    if let value, !value.isNull {
                        faults.report("expected nothing after \(name.quoted), found \(value.found)", at: value.place)
                    }
                    stages += decodeStages(definition, facts, registry, [:], kind, from: position + stages.count)
                } else if let decode = registry[name] {
                    let source = StageSource(
                        name: name, place: place, node: value, position: position + stages.count,
                        surroundings: surroundings, route: facts)
                    if let stage = decode(source) { stages.append(stage) }
                } else {
                    let suggestion = name.suggestion(among: registry.keys.sorted() + named.keys.sorted())
                    faults.report("no \(kind) is called \(name.quoted)\(suggestion)", at: place)
                }
            }
        }
        return stages
    }

    private func decodeHandler(
        _ found: [(key: String, node: Node)], _ facts: StageSource.RouteFacts, _ reader: MappingReader
    ) -> (name: String, stage: Route.HandlerStage)? {
        guard let (key, node) = found.first, found.count == 1 else {
            let keys = Registry.handlers.keys.sorted().map { "'\($0)'" }.joined(separator: " or ")
            let count = found.isEmpty ? "none" : "\(found.count)"
            faults.report("expected one handler in a route, \(keys), found \(count)", at: reader.place)
            return nil
        }
        let place = reader.keyPlace(key) ?? reader.place
        let source = StageSource(
            name: key, place: place, node: node, position: 0, surroundings: surroundings, route: facts, keys: reader)
        return Registry.handlers[key]?(source).map { (key, $0) }
    }
}

extension Node {
    /// The elements of a list, or the node itself.
    var elements: [Node] {
        if case .sequence(let elements) = content { elements } else { [self] }
    }

    /// The stages that an element names: a word without settings, or each member of a mapping.
    fileprivate func stageWords(_ faults: FaultList) -> [(name: String, place: Place, value: Node?)] {
        if case .mapping(let members) = content { return members.map { ($0.key, $0.place, $0.value) } }
        return string(faults).map { [($0, place, nil)] } ?? []
    }

    /// The place of one of the scalars of a plain text.
    fileprivate func place(ofScalar offset: Int) -> Place {
        guard case .scalar(let scalar) = content, !scalar.isQuoted else { return place }
        return Place(file: place.file, line: place.line, column: place.column + offset)
    }
}
