import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL

/// Decodes routes and groups of routes.
struct RouteDecoder {
    /// A route that has a place in the table, despite any other fault.
    struct Decoded {
        let route: Route
        /// The description of the route; nil if it has none.
        let description: RouteDescription?
        let place: Place
        let handlerPlace: Place
    }

    /// The routes that are enabled, in the order of the files.
    private(set) var routes: [Decoded] = []
    /// Whether the URLs of all routes are known.
    private(set) var isSound = true

    private let surroundings: StageSource.Surroundings
    private var middleware: StageDecoder<Route.MiddlewareStage>
    private var policies: StageDecoder<PolicyStage>
    /// The handlers that are shared between routes with equal text.
    private var handlers = StageCache<DecodedHandler>()
    /// The `receivers` setting of each client name and topic.
    private var receivers: [String: (contentHash: Int, place: Place)] = [:]
    /// The names of routes for assistants.
    private var agentNames: [String: Place] = [:]
    /// The last file with a route, and its name in messages.
    private var file = (name: "", shown: "")

    /// The keys that are not settings of a route: its address and its stages.
    private static let otherKeys = ["route", "enabled", "middleware", "policies"]
    private static let strayDash = "; leave out its '-' if it belongs to the route before it"

    private var faults: FaultList { surroundings.faults }

    init(_ surroundings: StageSource.Surroundings) {
        self.surroundings = surroundings
        middleware = StageDecoder(of: .middleware, Registry.middleware, surroundings)
        policies = StageDecoder(of: .policy, Registry.policies, surroundings)
    }

    /// Adds the stages that a file defines for use in all files.
    mutating func define(_ reader: MappingReader) {
        if let members = reader.members("middleware") { middleware.define(members) }
        if let members = reader.members("policies") { policies.define(members) }
        reader.finish()
    }

    /// Decodes a list of routes and groups.
    mutating func decode(_ list: Node, in scope: RouteScope) {
        guard let items = list.routeItems(faults) else { return isSound = false }
        routes.reserveCapacity(routes.count + items.count)
        for (index, item) in items.enumerated() {
            if item.has("group") {
                decodeGroup(item, in: scope)
            } else {
                decodeRoute(item, in: scope, isFirst: index == 0)
            }
        }
        if items.isEmpty { check(scope) }
    }

    private mutating func decodeGroup(_ item: Node, in scope: RouteScope) {
        let outside = MappingReader(item, of: "the item of a group", faults: faults)
        let reader = outside?.mapping("group", of: "a group", such: "{ prefix: /a, routes: [] }")
        outside?.finish()
        guard let reader else { return isSound = false }
        var scope = scope
        scope.enter(reader, surroundings)
        let routes = reader.requiredNode("routes")
        reader.finish()
        if let routes { decode(routes, in: scope) }
    }

    private mutating func decodeRoute(_ node: Node, in scope: RouteScope, isFirst: Bool) {
        let example = "{ route: notes:/a, respond: { text: Hello } }"
        guard let members = node.members(such: example, "a route", faults),
            let reader = MappingReader(node, of: "a route", faults: faults)
        else { return isSound = false }
        // Read here so that suggestions for a typo include it.
        _ = reader.node("group")
        let isEnabled = (reader.bool("enabled") ?? true) && scope.isEnabled
        faults.isWarned = isEnabled
        defer { faults.isWarned = true }
        surroundings.placeholders = []
        let addressNode = reader.requiredNode("route", hint: isFirst ? "" : Self.strayDash)
        let address = RouteAddress(addressNode, in: scope, surroundings)
        if surroundings.isUnwanted(address) { return }
        let faultCount = faults.reportCount
        let parameters = reader.members("input", such: "{ id: int }")
        let input = Input(
            parameters, as: address.pattern.syntax, isStrict: reader.bool("strict") ?? false,
            maximumElements: surroundings.limits.parameters,
            faults: faults)
        checkWildcards(of: address.pattern, input, at: reader.node("input")?.place ?? node.place)
        let isRoutable = address.isSound && faults.reportCount == faultCount

        let description = RouteDescription(reader, address, input: parameters)
        let isPublic = reader.bool("public") ?? false
        let facts = StageSource.RouteFacts(
            scheme: address.scheme, pattern: address.pattern, input: input,
            runner: reader.choice("runner", of: RunnerName.self), isPublic: isPublic)
        var content = Hasher()
        for member in members.sorted(by: { $0.key < $1.key }) where !Self.otherKeys.contains(member.key) {
            member.hash(into: &content)
        }
        let (decoded, handlerPlace) = decodeChain(reader, scope, facts, into: &content)
        let chain = decoded.chain
        let routePlace = addressNode?.place ?? node.place
        if isEnabled {
            address.warnOfForeignSyntax(at: routePlace, faults)
            input.warnOfCaptures(reader.node("input"), of: address.pattern, faults)
            ContradictionSearch(
                in: decoded, of: facts, placeholders: surroundings.placeholders, at: routePlace, faults
            ).warn()
            // A browser opens links of the web itself.
            if isPublic, !["http", "https"].contains(address.scheme) {
                chain.stages.warnOfWebPages(at: handlerPlace ?? node.place, faults)
            }
        }
        let readsForms = reader.bool("form") ?? false
        let timeout = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400))
        reader.finish { $0.belonging }
        guard isEnabled else { return }
        guard isRoutable, let scheme = address.scheme else { return isSound = false }
        var reach = isPublic ? OriginSet.open : .trusted
        if let agent = description.agent {
            if address.pattern.syntax == .text {
                faults.report("a route of syntax 'text' cannot be offered to assistants", at: agent.place)
            }
            reach.insert(Origin.agent.bit)
            check(agent)
        }
        let route = Route(
            scheme: scheme, pattern: address.pattern, file: shownFile(of: node.place), line: node.place.line,
            contentHash: content.finalize(), reach: reach, readsForms: readsForms, timeout: timeout, chain: chain)
        description.warnOfAgents(route, faults)
        description.warn(of: route, at: reader.keyPlace("returns") ?? routePlace, faults)
        routes.append(
            Decoded(
                route: route, description: description.isEmpty ? nil : description, place: routePlace,
                handlerPlace: handlerPlace ?? routePlace))
    }

    /// Reports a name for assistants that another route already has.
    private mutating func check(_ agent: AgentName) {
        guard let other = agentNames.updateValue(agent.place, forKey: agent.text) else { return }
        faults.report(
            "two routes have the name \(agent.text.quoted) for assistants: rename one, as in 'agent: append_note'",
            at: agent.place, other: Fault.Other(at: other))
    }

    /// Decodes the text of the notification after a success: `notify: "Saved {title}"`.
    private func decodeNotice(
        _ reader: MappingReader, _ facts: StageSource.RouteFacts
    ) -> (@Sendable (Request) -> String?)? {
        guard let node = reader.node("notify") else { return nil }
        let source = StageSource(
            name: "notify", place: reader.keyPlace("notify") ?? node.place, node: node, kind: .handler, position: 0,
            surroundings: surroundings, route: facts)
        guard let template = Template(node, source) else { return nil }
        return { request in template.text(for: request) }
    }

    /// Decodes the stages of a route; routes with equal text share a chain.
    private mutating func decodeChain(
        _ reader: MappingReader, _ scope: RouteScope, _ facts: StageSource.RouteFacts, into content: inout Hasher
    ) -> (DecodedChain, handlerPlace: Place?) {
        let known = Registry.handlers
        var handlers: [(index: Int, node: Node)] = []
        for index in known.indices { if let node = reader.node(known[index].key) { handlers.append((index, node)) } }
        let handler = decodeHandler(handlers, facts, reader)
        let middleware = middleware.decode(scope.middleware(before: reader.node("middleware")), for: facts)
        let policies = policies.decode(scope.policies(before: reader.node("policies")), for: facts)
        content.combine(middleware.contentHash)
        content.combine(policies.contentHash)
        let chain = DecodedChain(
            middleware, policies, handler, facts.input, notice: decodeNotice(reader, facts))
        return (chain, handlers.first?.node.place)
    }

    /// Returns the name of a place's file in messages.
    private mutating func shownFile(of place: Place) -> String {
        if file.name != place.file { file = (place.file, "\(Place(file: place.file))") }
        return file.shown
    }

    /// Reports wildcards that are declared with a single value.
    private func checkWildcards(of pattern: RoutePattern, _ input: Input, at place: @autoclosure () -> Place) {
        for declaration in input.declarations where !declaration.rule.isList {
            guard pattern.captures.first(named: declaration.name)?.isWildcard == true else { continue }
            faults.report(
                "\(declaration.name.quoted) is a wildcard and has many values: expected "
                    + "'{ type: list, of: \(declaration.rule.type.name) }'", at: place())
        }
    }

    /// Decodes the only handler; after a fault, returns a placeholder that never runs.
    private mutating func decodeHandler(
        _ found: [(index: Int, node: Node)], _ facts: StageSource.RouteFacts, _ reader: MappingReader
    ) -> DecodedHandler {
        if found.count != 1 {
            let keys = Registry.handlerNames.map(\.quoted).alternatives
            let count = found.isEmpty ? "none" : "\(found.count)"
            faults.report("expected one handler in a route, \(keys), found \(count)", at: reader.place)
        }
        var first: DecodedHandler?
        for (index, node) in found {
            let handler = decodeHandler(index, node, facts, reader)
            first = first ?? handler
        }
        guard let first, found.count == 1 else { return DecodedHandler(.none, isShared: false) }
        return first
    }

    private mutating func decodeHandler(
        _ index: Int, _ node: Node, _ facts: StageSource.RouteFacts, _ reader: MappingReader
    ) -> DecodedHandler {
        let key = Registry.handlerNames[index]
        let text = StageText.handler(key, node)
        let known = handlers[text]
        let type = known == nil ? Registry.handlers[index].type : nil
        let traits = known?.stage.traits ?? type?.traits ?? StageTraits()
        // For each route, because all routes with the same name must have the same setting.
        let receivers = traits.contains(.hasReceivers) ? decodeReceivers(of: key, node, facts, reader) : nil
        if let known { return known }
        let source = StageSource(
            name: key, place: reader.keyPlace(Registry.handlers[index].key) ?? reader.place, node: node, kind: .handler,
            position: 0, surroundings: surroundings, route: facts, keys: reader)
        var stage: Route.HandlerStage?
        let isShared = surroundings.decodesForAllRoutes { stage = type?.decode(source)?.stage }
        let handler = DecodedHandler(
            stage.map { NamedStage($0, name: key, traits: traits) } ?? .none, receivers: receivers, isShared: isShared)
        if isShared { handlers.add(handler, for: text) }
        return handler
    }
}

extension RouteDecoder {
    /// Decodes the policies for receivers; all routes with the same client name or topic have the same ones.
    private mutating func decodeReceivers(
        of key: String, _ name: Node, _ facts: StageSource.RouteFacts, _ reader: MappingReader
    ) -> [Route.PolicyStage] {
        let node = reader.node("receivers")
        let list = policies.decode(node.map { Array($0.elements) } ?? [], for: facts)
        let place = reader.keyPlace("receivers") ?? name.place
        for policy in list.stages where !policy.traits.contains(.judgesClient) {
            let names = Registry.policyNames.filter { Registry.policies[$0]?.traits.contains(.judgesClient) == true }
            faults.report(
                "policy \(policy.name.quoted) does not check receivers: expected \(names.alternatives)", at: place)
        }
        if case .scalar(let scalar) = name.content {
            let known = receivers["\(key) \(scalar.text)"]
            if let known, known.contentHash != list.contentHash {
                faults.report(
                    "'receivers' of \(scalar.text.quoted) must be the same in all its routes", at: place,
                    other: Fault.Other("another one is", at: known.place))
            }
            receivers["\(key) \(scalar.text)"] = (list.contentHash, place)
        }
        return list.stages.compactMap { policy in
            switch policy.stage {
            case .immediate(let stage): .immediate(stage)
            case .looking(let stage): .looking(stage)
            case .secret, .asynchronous: nil
            }
        }
    }

    /// Returns the middleware of all routes for a request without a route; nil without middleware.
    ///
    /// Decoded after the routes, so that middleware does not see the secret of a route in a request with a mistyped
    /// action.
    mutating func decodeFallback(_ nodes: [Node]) -> Route? {
        var stages = Route.Stages(handler: .immediate(NoRouteHandler(schemes: surroundings.schemeNames)))
        let decoded = middleware.decode(nodes, for: .noRoute)
        stages.middleware = decoded.stages
        for decoded in routes {
            for secret in decoded.route.chain.secrets
            where !stages.hiddenSecrets.contains(where: { areEqual($0.parameterName, secret.parameterName) }) {
                stages.hiddenSecrets.append(secret)
            }
        }
        return stages.middleware.isEmpty
            ? nil : Route(scheme: "*", pattern: StageSource.RouteFacts.noRoute.pattern, stages: stages)
    }

    /// Checks the definitions that no route uses.
    mutating func checkUnusedDefinitions() {
        middleware.checkUnused(for: .anyRoute)
        policies.checkUnused(for: .anyRoute)
    }

    /// Checks the stages of a group or a configuration without routes.
    mutating func check(_ scope: RouteScope) {
        _ = middleware.decode(scope.middleware(before: nil), for: .anyRoute)
        _ = policies.decode(scope.policies(before: nil), for: .anyRoute)
    }
}

extension NamedStage<Route.HandlerStage> {
    /// A placeholder for a handler that has a fault.
    fileprivate static var none: Self { Self(.immediate(NoRouteHandler(schemes: []))) }
}

extension StageSource.RouteFacts {
    /// The route facts for requests without a route; the log names such requests by the pattern.
    fileprivate static let noRoute = StageSource.RouteFacts(
        scheme: nil, pattern: RoutePattern(capturesOf: "/*action"), input: Input([]))
    /// The route facts for stages that no route uses yet.
    fileprivate static let anyRoute = StageSource.RouteFacts(
        scheme: nil, pattern: noRoute.pattern, input: noRoute.input, isOpen: true)
}

extension StageSource.Surroundings {
    /// Whether only another route is wanted; routes with the same name differ by their input.
    fileprivate func isUnwanted(_ address: RouteAddress) -> Bool {
        guard let onlyRoute, let scheme = address.scheme else { return false }
        return !onlyRoute.utf8.starts(with: "\(scheme):\(address.pattern.text)".utf8)
    }
}

extension String {
    /// The correct location of a key that is invalid in a route; nil if the key is unknown elsewhere too.
    fileprivate var belonging: String? {
        if Registry.policies[self] != nil { return "a policy belongs in the list 'policies: [{ \(self): … }]'" }
        if Registry.middleware[self] != nil { return "middleware belongs in the list 'middleware: [\(self)]'" }
        return ["prefix", "scheme", "routes"].contains(self) ? "it belongs to a group, 'group: { \(self): … }'" : nil
    }
}

extension Node {
    /// The routes and groups of a list; reports anything else.
    fileprivate func routeItems(_ faults: FaultList) -> [Node]? {
        guard isMapping else { return items(faults) }
        faults.report("expected a list, found a mapping: each route begins with '- route: '", at: place)
        return nil
    }
}
