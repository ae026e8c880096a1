import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL

/// Reads routes and groups of routes: the first of two passes, which decodes no stage.
struct RouteReader {
    /// The routes in the order of the files, with those that are disabled.
    private(set) var routes: [RouteDeclaration] = []
    /// Whether the URLs of all routes are known.
    private(set) var isSound = true
    /// Reads the middleware of routes.
    private(set) var middleware: StageListReader
    /// Reads the policies of routes.
    private(set) var policies: StageListReader
    /// The schemes of the routes of each file.
    private(set) var names: [String: DropInNames] = [:]
    /// The stages that no route has, which can have faults nevertheless.
    private(set) var unused: (middleware: [StageDeclaration], policies: [StageDeclaration]) = ([], [])

    private let context: LoadContext
    /// The names of routes for assistants.
    private var agentNames: [String: Place] = [:]

    /// The keys that are not in the content of a route: its address, and its stages, which are there without definitions.
    private static let otherKeys = ["route", "enabled", "middleware", "policies"]
    private static let strayDash = "; leave out its '-' if it belongs to the route before it"

    private var faults: FaultList { context.faults }

    init(_ context: LoadContext) {
        self.context = context
        middleware = StageListReader(of: .middleware, Registry.middleware.keys, context)
        policies = StageListReader(of: .policy, Registry.policies.keys, context)
    }

    /// Adds the stages that a file defines for use in all files.
    mutating func define(_ reader: MappingReader) {
        if let members = reader.members("middleware") { middleware.define(members) }
        if let members = reader.members("policies") { policies.define(members) }
        reader.finish()
    }

    /// Returns the scope of the routes of a configuration, with the stages for all routes.
    mutating func scope(of main: MappingReader?) -> RouteScope {
        RouteScope(
            middleware: middleware.stages(in: main?.node("middleware")),
            policies: policies.stages(in: main?.node("policies")))
    }

    /// Adds the stages of a scope without routes, and of unused definitions.
    mutating func addUnusedStages(of scope: RouteScope? = nil) {
        unused.middleware += scope?.middleware ?? middleware.unusedStages()
        unused.policies += scope?.policies ?? policies.unusedStages()
    }

    /// Reads a list of routes and groups.
    mutating func read(_ list: Node, in scope: RouteScope) {
        guard let items = list.routeItems(faults) else { return skip(list) }
        routes.reserveCapacity(routes.count + items.count)
        for (index, item) in items.enumerated() {
            if item.has("group") {
                readGroup(item, in: scope)
            } else {
                readRoute(item, in: scope, isFirst: index == 0)
            }
        }
        if items.isEmpty { addUnusedStages(of: scope) }
    }

    private mutating func readGroup(_ item: Node, in scope: RouteScope) {
        let outside = MappingReader(item, of: "the item of a group", faults: faults)
        let reader = outside?.mapping("group", of: "a group", such: "{ prefix: /a, routes: [] }")
        outside?.finish()
        guard let reader else { return skip(item) }
        var scope = scope
        scope.enter(reader, context)
        scope.middleware += middleware.stages(in: reader.node("middleware"))
        scope.policies += policies.stages(in: reader.node("policies"))
        let routes = reader.requiredNode("routes")
        noteCuts(in: reader, among: ["scheme", "prefix"])
        reader.finish()
        if let routes { read(routes, in: scope) } else { skip(item) }
    }

    /// Notes unknown members of a group or a route that decide about URLs, with a letter too many.
    private func noteCuts(in reader: MappingReader, among keys: [String]) {
        for member in reader.unknownMembers {
            if let key = keys.first(where: { !member.key.suggestion(among: [$0], areKeys: true).isEmpty }) {
                faults.noteCut(member.value, of: key)
            }
        }
    }

    /// Notes that a part of a file cannot be read.
    private mutating func skip(_ part: Node) {
        isSound = false
        names[part.place.file, default: DropInNames()].isComplete = false
    }

    private mutating func readRoute(_ node: Node, in scope: RouteScope, isFirst: Bool) {
        let example = "{ route: notes:/a, respond: { text: Hello } }"
        guard let members = node.members(such: example, "a route", faults),
            let reader = MappingReader(node, of: "a route", faults: faults)
        else { return skip(node) }
        // Read here so that suggestions for a typo include it.
        _ = reader.node("group")
        let isEnabled = (reader.bool("enabled") ?? true) && scope.isEnabled
        faults.isWarned = isEnabled
        defer { faults.isWarned = true }
        let addressNode = reader.requiredNode("route", hint: isFirst ? "" : Self.strayDash)
        let address = RouteAddress(addressNode, in: scope, context)
        if !address.namesScheme { names[node.place.file, default: DropInNames()].isComplete = false }
        if let scheme = context.schemes.first(where: { $0.name == address.scheme }) {
            names[node.place.file, default: DropInNames()].add(scheme)
        }
        // A redirect can lead to the wanted route.
        if context.isUnwanted(address), reader.node("redirect") == nil { return }
        let faultCount = faults.reportCount
        let parameters = reader.members("input", such: "{ id: int }")
        let input = Input(
            parameters, as: address.pattern.syntax, isStrict: reader.bool("strict") ?? false,
            maximumElements: context.limits.parameters, faults: faults)
        checkWildcards(of: address.pattern, input, at: reader.node("input")?.place ?? node.place)
        let isRoutable = address.isSound && faults.reportCount == faultCount
        let handlers = self.handlers(in: reader)
        let own = (
            middleware: scope.middleware + middleware.stages(in: reader.node("middleware")),
            policies: scope.policies + policies.stages(in: reader.node("policies")),
            receivers: policies.stages(in: handlers.keys.contains("receivers") ? reader.node("receivers") : nil)
        )
        var (content, describingContent) = ([UInt8](), [UInt8]())
        for member in members.sorted(by: { $0.key < $1.key }) where !Self.otherKeys.contains(member.key) {
            if RouteDescription.keys.contains(member.key) {
                member.appendContent(to: &describingContent)
            } else {
                member.appendContent(to: &content)
            }
        }
        content.append(Node.endOfContent)
        for stages in [own.middleware, own.policies, own.receivers] { stages.appendContent(to: &content) }
        let route = RouteDeclaration(
            address: address, place: addressNode?.place ?? node.place, start: node.place, isEnabled: isEnabled,
            isRoutable: isRoutable, input: input,
            description: RouteDescription(reader, address, input: parameters),
            runner: reader.choice("runner", of: RunnerName.self), isPublic: reader.bool("public") ?? false,
            handlers: handlers.stages, middleware: own.middleware, policies: own.policies, receivers: own.receivers,
            keys: reader, content: content, describingContent: describingContent)
        for (name, _) in Registry.keys { _ = reader.node(name) }
        // Routes below a route were meant to stand beside it.
        noteCuts(in: reader, among: ["routes"])
        reader.finish { $0.belonging }
        if isEnabled { check(route) }
        routes.append(route)
    }

    /// Returns the handlers of a route, and the keys that it can have for them; reports any number but one.
    private func handlers(in reader: MappingReader) -> (stages: [StageDeclaration], keys: [String]) {
        let found = Registry.handlers.compactMap { handler in reader.stage(handler.key).map { ($0, handler.type.keys) }
        }
        let keys = found.flatMap(\.1)
        // Allowed, whatever the value of the handler is.
        for key in keys { _ = reader.node(key) }
        if found.count != 1 {
            let names = Registry.handlerNames.map(\.quoted).alternatives
            let count = found.isEmpty ? "none" : "\(found.count)"
            faults.report("expected one handler in a route, \(names), found \(count)", at: reader.place)
        }
        return (found.map(\.0), keys)
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

    /// Reports what the name of a route for assistants rules out.
    private mutating func check(_ route: RouteDeclaration) {
        guard route.isRoutable else { return isSound = false }
        guard let agent = route.description.agent else { return }
        if route.address.pattern.syntax == .text {
            faults.report("a route of syntax 'text' cannot be offered to assistants", at: agent.place)
        }
        guard let other = agentNames.updateValue(agent.place, forKey: agent.text) else { return }
        faults.report(
            "two routes have the name \(agent.text.quoted) for assistants: rename one, as in 'agent: append_note'",
            at: agent.place, other: Fault.Other(at: other))
    }
}

extension MappingReader {
    /// The stage that a key of a route declares; nil if the key is missing.
    func stage(_ key: String) -> StageDeclaration? {
        node(key).map { StageDeclaration(name: key, place: keyPlace(key) ?? place, node: $0) }
    }
}

extension LoadContext {
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
