import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Decodes routes and groups of routes.
struct RouteDecoder {
    /// A route that has a place in the table, whatever else is wrong with it.
    struct Decoded {
        let route: Route
        let place: Place
        let handlerPlace: Place
    }

    /// The routes that are enabled, in the order of the files.
    private(set) var routes: [Decoded] = []
    /// Whether it can be told of all routes which URLs they answer.
    private(set) var isSound = true

    private let surroundings: StageSource.Surroundings
    private var middleware: StageDecoder<Route.MiddlewareStage>
    private var policies: StageDecoder<PolicyStage>

    private var faults: FaultList { surroundings.faults }

    init(_ surroundings: StageSource.Surroundings) {
        self.surroundings = surroundings
        middleware = StageDecoder(of: "middleware", Registry.middleware, surroundings)
        policies = StageDecoder(of: "policy", Registry.policies, surroundings)
    }

    /// Takes the stages that a file names for use in all files.
    mutating func define(_ reader: MappingReader) {
        middleware.define(reader.members("middleware") ?? [])
        policies.define(reader.members("policies") ?? [])
        reader.finish()
    }

    /// Decodes a list of routes and groups.
    mutating func decode(_ list: Node, in scope: RouteScope) {
        guard let items = list.items(faults) else { return isSound = false }
        for item in items {
            if item.has("group") {
                decodeGroup(item, in: scope)
            } else {
                decodeRoute(item, in: scope)
            }
        }
        if items.isEmpty { check(scope) }
    }

    private mutating func decodeGroup(_ item: Node, in scope: RouteScope) {
        let outside = MappingReader(item, of: "the item of a group", faults: faults)
        let reader = outside?.mapping("group", of: "a group")
        outside?.finish()
        guard let reader else { return isSound = false }
        var scope = scope
        scope.enter(reader, surroundings)
        let routes = reader.requiredNode("routes")
        reader.finish()
        if let routes { decode(routes, in: scope) }
    }

    private mutating func decodeRoute(_ node: Node, in scope: RouteScope) {
        guard let reader = MappingReader(node, of: "a route", faults: faults) else { return isSound = false }
        // Here so that it is the nearest word where it is misspelt.
        _ = reader.node("group")
        let isEnabled = (reader.bool("enabled") ?? true) && scope.isEnabled
        let address = RouteAddress(reader.requiredNode("route"), in: scope, surroundings)
        let faultCount = faults.reportCount
        let input = Input(reader.members("input") ?? [], isStrict: reader.bool("strict") ?? false, faults: faults)
        checkWildcards(of: address.pattern, input, at: reader.node("input")?.place ?? node.place)
        let isRoutable = address.isSound && faults.reportCount == faultCount

        let facts = StageSource.RouteFacts(
            name: "\(address.scheme ?? "*"):\(address.pattern.text)", pattern: address.pattern, input: input)
        var content = Hasher()
        content.combine(node.hashOfSettings)
        faults.isWarned = isEnabled
        let (stages, handlerPlace) = decodeStages(reader, scope, facts, into: &content)
        faults.isWarned = true
        let isPublic = reader.bool("public") ?? false
        if isEnabled { address.warnOfForeignCaptures(at: reader.node("route")?.place ?? node.place, faults) }
        if isEnabled, isPublic { stages.warnOfWebPages(at: handlerPlace ?? node.place, faults) }
        let readsForms = reader.bool("form") ?? false
        let timeout = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400))
        reader.finish()
        guard isEnabled else { return }
        guard isRoutable, let scheme = address.scheme else { return isSound = false }
        let route = Route(
            scheme: scheme, pattern: address.pattern, place: node.place.fileAndLine, contentHash: content.finalize(),
            isPublic: isPublic, readsForms: readsForms, timeout: timeout, stages: stages)
        let place = reader.node("route")?.place ?? node.place
        routes.append(Decoded(route: route, place: place, handlerPlace: handlerPlace ?? place))
    }

    private mutating func decodeStages(
        _ reader: MappingReader, _ scope: RouteScope, _ facts: StageSource.RouteFacts, into content: inout Hasher
    ) -> (stages: Route.Stages, handlerPlace: Place?) {
        let handlers = Registry.handlerNames.compactMap { key in reader.node(key).map { (key, $0) } }
        let (handlerName, handler) = decodeHandler(handlers, facts, reader)
        var stages = Route.Stages(handler: handler)
        stages.handlerName = handlerName
        stages.input = facts.input
        let middlewareNodes = scope.middleware + (reader.node("middleware")?.elements ?? [])
        let middleware = middleware.decode(middlewareNodes, for: facts, into: &content)
        stages.middleware = middleware.map(\.stage)
        stages.middlewareNames = middleware.map(\.name)
        let policyNodes = scope.policies + (reader.node("policies")?.elements ?? [])
        for (name, policy) in policies.decode(policyNodes, for: facts, into: &content) {
            switch policy {
            case .immediate(let policy):
                stages.policies.append(policy)
                stages.policyNames.append(name)
            case .awaited(let policy):
                stages.awaitedPolicies.append(policy)
                stages.awaitedPolicyNames.append(name)
            }
        }
        return (stages, handlers.first?.1.place)
    }

    /// Reports wildcards that are declared to have one value.
    private func checkWildcards(of pattern: RoutePattern, _ input: Input, at place: Place) {
        for declaration in input.declarations where !declaration.rule.isList {
            guard pattern.captures.contains(where: { $0.isWildcard && $0.name == declaration.name }) else { continue }
            faults.report(
                "\(declaration.name.quoted) is a wildcard and has many values: expected "
                    + "'{ type: list, of: \(declaration.rule.type.name) }'", at: place)
        }
    }

    /// Decodes the only handler; after a fault there is one in its place that nobody will ask.
    private func decodeHandler(
        _ found: [(key: String, node: Node)], _ facts: StageSource.RouteFacts, _ reader: MappingReader
    ) -> (name: String, stage: Route.HandlerStage) {
        let nobody = Route.HandlerStage.immediate(NoRouteHandler(schemes: []))
        if found.count != 1 {
            let keys = Registry.handlerNames.map { "'\($0)'" }.joined(separator: " or ")
            let count = found.isEmpty ? "none" : "\(found.count)"
            faults.report("expected one handler in a route, \(keys), found \(count)", at: reader.place)
        }
        let stages = found.map { key, node in
            let source = StageSource(
                name: key, place: reader.keyPlace(key) ?? reader.place, node: node, position: 0,
                surroundings: surroundings, route: facts, keys: reader)
            return (key, Registry.handlers[key]?(source) ?? nobody)
        }
        return stages.count == 1 ? stages[0] : ("", nobody)
    }
}

extension RouteDecoder {
    /// What the middleware of all routes makes of a request for which there is no route; nil without middleware.
    ///
    /// It is decoded after the routes: what is a secret of one of them is not shown to middleware where somebody has
    /// mistyped the action.
    mutating func decodeFallback(_ nodes: [Node]) -> Route? {
        var stages = Route.Stages(handler: .immediate(NoRouteHandler(schemes: surroundings.ownSchemes)))
        var content = Hasher()
        let decoded = middleware.decode(nodes, for: .noRoute, into: &content)
        stages.middleware = decoded.map(\.stage)
        stages.middlewareNames = decoded.map(\.name)
        for case let secret as any SecretPolicy in routes.flatMap(\.route.stages.policies)
        where !stages.hiddenSecrets.contains(where: { $0.parameterName == secret.parameterName }) {
            stages.hiddenSecrets.append(secret)
        }
        return stages.middleware.isEmpty
            ? nil : Route(scheme: "*", pattern: StageSource.RouteFacts.noRoute.pattern, stages: stages)
    }

    /// Checks the definitions that no route uses.
    func checkUnusedDefinitions() {
        middleware.checkUnused(for: .anyRoute)
        policies.checkUnused(for: .anyRoute)
    }

    /// Checks the stages of a group without routes.
    private mutating func check(_ scope: RouteScope) {
        var content = Hasher()
        _ = middleware.decode(scope.middleware, for: .anyRoute, into: &content)
        _ = policies.decode(scope.policies, for: .anyRoute, into: &content)
    }
}

extension StageSource.RouteFacts {
    /// What stages know where there is no route; the log names such requests by the pattern.
    fileprivate static let noRoute = StageSource.RouteFacts(
        name: "*:/*action", pattern: RoutePattern(capturesOf: "/*action"), input: Input([]))
    /// What stages know that no route has yet.
    fileprivate static let anyRoute = StageSource.RouteFacts(
        name: noRoute.name, pattern: noRoute.pattern, input: noRoute.input, isOpen: true)
}

extension Node {
    /// A hash of what stands in a route itself, in whatever order, but for its address and its stages.
    fileprivate var hashOfSettings: Int {
        guard case .mapping(let members) = content else { return 0 }
        var hash = 0
        for member in members {
            switch member.key {
            case "route", "enabled", "middleware", "policies": break
            default:
                var hasher = Hasher()
                hasher.combine(member.key)
                member.value.hashContent(into: &hasher)
                hash ^= hasher.finalize()
            }
        }
        return hash
    }
}

extension Place {
    /// The file and the line, as a route tells where it is from.
    fileprivate var fileAndLine: String { "\(Place(file: file)):\(line)" }
}
