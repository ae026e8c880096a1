import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// The text of a route's stages; equal at any place.
private struct ChainText: Hashable {
    let handler: String
    /// The value of the handler, then the middleware, then the policies.
    let nodes: [Node]
    let middlewareCount: Int

    static func == (left: Self, right: Self) -> Bool {
        left.handler == right.handler && left.middlewareCount == right.middlewareCount
            && left.nodes.elementsEqual(right.nodes) { $0.hasEqualContent(to: $1) }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(handler)
        var content = ContentHash()
        for node in nodes { node.hashContent(into: &content) }
        hasher.combine(content.value)
    }
}

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
    private var policies: StageDecoder<Route.PolicyStage>
    /// The chains that routes with equal text share, each with the hash of its text.
    private var sharedChains: [ChainText: (chain: Chain, contentHash: UInt64)] = [:]
    /// The `receivers` setting of each client name and topic.
    private var receivers: [String: (contentHash: UInt64, place: Place)] = [:]
    /// The names of routes for assistants.
    private var agentNames: [String: Place] = [:]

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
        let addressNode = reader.requiredNode("route", hint: isFirst ? "" : Self.strayDash)
        let address = RouteAddress(addressNode, in: scope, surroundings)
        // A redirect can lead to the wanted route.
        if surroundings.isUnwanted(address), reader.node("redirect") == nil { return }
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
        var reach = isPublic ? OriginSet.open : .trusted
        if description.agent != nil { reach.insert(Origin.agent.bit) }
        let facts = StageSource.RouteFacts(
            scheme: address.scheme, title: description.title, pattern: address.pattern, input: input,
            runner: reader.choice("runner", of: RunnerName.self), isPublic: isPublic)
        var content = ContentHash()
        for member in members.sorted(by: { $0.key < $1.key }) where !Self.otherKeys.contains(member.key) {
            member.hash(into: &content)
        }
        let (chain, handlerPlace) = decodeChain(reader, scope, facts, into: &content)
        let routePlace = addressNode?.place ?? node.place
        if isEnabled {
            address.warnOfForeignSyntax(at: routePlace, faults)
            chain.stages.warnOfOrigins(reachedFrom: reach, at: routePlace, faults)
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
        if let agent = description.agent {
            if address.pattern.syntax == .text {
                faults.report("a route of syntax 'text' cannot be offered to assistants", at: agent.place)
            }
            check(agent)
        }
        let route = Route(
            scheme: scheme, pattern: address.pattern, file: Place(file: node.place.file).description,
            line: node.place.line,
            contentHash: content.value, reach: reach, readsForms: readsForms, timeout: timeout, chain: chain)
        description.warnOfAgents(route, faults)
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

    /// Decodes the stages of a route.
    ///
    /// Routes whose stages have equal text share a chain, unless a stage depends on its route.
    private mutating func decodeChain(
        _ reader: MappingReader, _ scope: RouteScope, _ route: StageSource.RouteFacts, into content: inout ContentHash
    ) -> (Chain, handlerPlace: Place?) {
        let found = Registry.handlers.compactMap { handler in reader.node(handler.key).map { (handler, $0) } }
        let handlerPlace = found.first?.1.place
        let middleware = scope.middleware(before: reader.node("middleware"))
        let policies = scope.policies(before: reader.node("policies"))
        let notice = decodeNotice(reader, route)
        let isShareable = route.input.isEmpty && notice == nil
        let text = ChainText(
            handler: found.first?.0.key ?? "", nodes: found.map(\.1) + middleware + policies,
            middlewareCount: middleware.count)
        if isShareable, let known = sharedChains[text] {
            content.combine(known.contentHash)
            return (known.chain, handlerPlace)
        }
        var own = ContentHash()
        let (chain, isForAllRoutes) = surroundings.decode {
            var stages = Route.Stages(handler: decodeHandler(found, route, reader))
            stages.input = route.input
            stages.notice = notice
            stages.middleware = self.middleware.decode(middleware, for: route, into: &own)
            for policy in self.policies.decode(policies, for: route, into: &own) { stages.add(policy) }
            if let name = stages.handler.facts.clientName {
                stages.receivers = decodeReceivers(
                    of: "\(stages.handler.name) \(name)", at: handlerPlace ?? reader.place, route, reader)
            }
            return Chain(stages)
        }
        let contentHash = own.value
        content.combine(contentHash)
        if isShareable, isForAllRoutes { sharedChains[text] = (chain, contentHash) }
        return (chain, handlerPlace)
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
    private func decodeHandler(
        _ found: [(handler: (key: String, type: StageType<Route.HandlerStage>), node: Node)],
        _ route: StageSource.RouteFacts, _ reader: MappingReader
    ) -> NamedStage<Route.HandlerStage> {
        if found.count != 1 {
            let keys = Registry.handlerNames.map(\.quoted).alternatives
            let count = found.isEmpty ? "none" : "\(found.count)"
            faults.report("expected one handler in a route, \(keys), found \(count)", at: reader.place)
        }
        let decoded = found.map { handler, node in
            handler.type.decode(
                StageSource(
                    name: handler.key, place: reader.keyPlace(handler.key) ?? reader.place, node: node, kind: .handler,
                    position: 0, surroundings: surroundings, route: route, keys: reader))
        }
        guard decoded.count == 1, let handler = decoded[0] else {
            return NamedStage(.immediate(NoRouteHandler(schemes: [])))
        }
        return handler
    }
}

extension RouteDecoder {
    /// Decodes the policies for receivers; all routes with the same client name or topic have the same ones.
    private mutating func decodeReceivers(
        of name: String, at place: Place, _ route: StageSource.RouteFacts, _ reader: MappingReader
    ) -> [Route.PolicyStage] {
        var content = ContentHash()
        let nodes = reader.node("receivers").map { Array($0.elements) } ?? []
        let decoded = policies.decode(nodes, for: route, into: &content)
        let (place, contentHash) = (reader.keyPlace("receivers") ?? place, content.value)
        for policy in decoded where !policy.facts.checksOnlyClient {
            faults.report(
                "policy \(policy.name.quoted) does not check receivers: expected one that checks only the client, such as "
                    + "'user' or 'group'", at: place)
        }
        if let known = receivers[name], known.contentHash != contentHash {
            let words = name.split(separator: " ").last ?? ""
            faults.report(
                "'receivers' of '\(words)' must be the same in all its routes", at: place,
                other: Fault.Other("another one is", at: known.place))
        }
        receivers[name] = (contentHash, place)
        return decoded.filter(\.facts.checksOnlyClient).map(\.stage)
    }

    /// Returns the middleware of all routes for a request without a route; nil without middleware.
    ///
    /// Decoded after the routes, so that middleware does not see the secret of a route in a request with a mistyped
    /// action.
    mutating func decodeFallback(_ nodes: [Node]) -> Route? {
        var stages = Route.Stages(handler: .immediate(NoRouteHandler(schemes: surroundings.schemeNames)))
        var content = ContentHash()
        stages.middleware = middleware.decode(nodes, for: .noRoute, into: &content)
        for decoded in routes {
            for secret in decoded.route.chain.secrets
            where !stages.hiddenSecrets.contains(where: { areEqual($0.parameterName, secret.parameterName) }) {
                stages.hiddenSecrets.append(secret)
            }
        }
        if stages.middleware.isEmpty { return nil }
        return Route(
            scheme: "*", pattern: StageSource.RouteFacts.noRoute.pattern, contentHash: content.value,
            chain: Chain(stages))
    }

    /// Checks the definitions that no route uses.
    mutating func checkUnusedDefinitions() {
        middleware.checkUnused(for: .anyRoute)
        policies.checkUnused(for: .anyRoute)
    }

    /// Checks the stages of a group or a configuration without routes.
    mutating func check(_ scope: RouteScope) {
        var content = ContentHash()
        _ = middleware.decode(scope.middleware(before: nil), for: .anyRoute, into: &content)
        _ = policies.decode(scope.policies(before: nil), for: .anyRoute, into: &content)
    }
}

extension StageSource.RouteFacts {
    /// The route facts for requests without a route; the log names such requests by the pattern.
    fileprivate static let noRoute = StageSource.RouteFacts(
        pattern: RoutePattern(capturesOf: "/*action"), input: Input([]))
    /// The route facts for stages that no route uses yet.
    fileprivate static let anyRoute = StageSource.RouteFacts(
        pattern: noRoute.pattern, input: noRoute.input, isOpen: true)
}

extension StageSource.Surroundings {
    /// Whether only another route is wanted; routes with the same name differ by their input.
    fileprivate func isUnwanted(_ address: RouteAddress) -> Bool {
        guard let onlyRoute = options.onlyRoute, let scheme = address.scheme else { return false }
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
