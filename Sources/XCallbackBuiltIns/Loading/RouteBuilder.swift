import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Makes routes of their declarations: the second of two passes, which decodes the stages.
struct RouteBuilder {
    /// A route with what declares it; an object, because a declaration has many parts to copy.
    final class Built {
        let route: Route
        let declaration: RouteDeclaration

        init(_ route: Route, of declaration: RouteDeclaration) {
            (self.route, self.declaration) = (route, declaration)
        }

        /// The place of the handler.
        var handlerPlace: Place { declaration.handlerPlace ?? declaration.place }
    }

    let context: LoadContext
    /// The stages that equal routes share.
    private(set) var chains: [[UInt8]: Chain] = [:]
    /// The policies for receivers of each client name and topic.
    private(set) var receivers: [String: (content: [UInt8], place: Place)] = [:]

    private var faults: FaultList { context.faults }

    /// Returns the routes that have a place in the table, despite any other fault.
    mutating func routes(of declarations: [RouteDeclaration]) -> [Built] {
        declarations.compactMap { route(of: $0) }
    }

    private mutating func route(of declaration: consuming RouteDeclaration) -> Built? {
        // Nobody needs warnings about a route that is disabled.
        faults.isWarned = declaration.isEnabled
        defer { faults.isWarned = true }
        let chain = chain(of: declaration)
        let address = declaration.address
        guard declaration.isEnabled else { return nil }
        if declaration.reach != .trusted, chain.stages.input.hasFiles, chain.stages.settings.folder == nil {
            faults.report(
                "a link or an assistant could name any file: expected 'folder', the only folder whose files they may name",
                at: declaration.keys.keyPlace("input") ?? declaration.start)
        }
        address.warnOfForeignSyntax(at: declaration.place, faults)
        chain.stages.warnOfOrigins(reachedFrom: declaration.reach, at: declaration.place, faults)
        // A browser opens links of the web itself.
        if declaration.isPublic, !["http", "https"].contains(address.scheme) {
            chain.stages.warnOfWebPages(at: declaration.handlerPlace ?? declaration.start, faults)
        }
        guard declaration.isRoutable, let scheme = address.scheme else { return nil }
        let route = Route(
            scheme: scheme, pattern: address.pattern, file: Place(file: declaration.start.file).description,
            line: declaration.start.line, fingerprint: declaration.fingerprint, reach: declaration.reach,
            chain: chain)
        declaration.description.warnOfAgents(route, faults)
        return Built(route, of: declaration)
    }

    /// Returns the stages of a route, which it shares with equal ones.
    ///
    /// A fault or a warning is reported wherever it stands, so stages with one are not shared.
    private mutating func chain(of declaration: RouteDeclaration) -> Chain {
        let content = declaration.stageContent
        if let known = chains[content] { return known }
        let noteCount = faults.noteCount
        let chain = decodeChain(of: declaration)
        if faults.noteCount == noteCount { chains[content] = chain }
        return chain
    }

    private mutating func decodeChain(of declaration: RouteDeclaration) -> Chain {
        let route = declaration.stageRoute
        let handlers = declaration.handlers.map { handler in
            Registry.handlers.first { $0.key == handler.name }?.type.decode(
                StageSource(stage: handler, kind: .handler, context: context, route: route, keys: declaration.keys))
        }
        // After a fault, a placeholder that never runs.
        let handler = handlers.count == 1 ? handlers[0] : nil
        var stages = Route.Stages(handler: handler ?? NamedStage(.immediate(NoRouteHandler(schemes: []))))
        stages.input = route.input
        for (name, decode) in Registry.keys {
            guard let key = declaration.keys.stage(name), let node = key.node else { continue }
            let source = StageSource(
                stage: key, kind: .handler, context: context, route: route, keys: declaration.keys)
            decode(node, source, &stages.settings)
        }
        stages.settings.secretItems = declaration.description.returns?.filter(\.isSecret).map(\.name) ?? []
        stages.middleware = decode(declaration.middleware, .middleware, Registry.middleware, for: route)
        for policy in decode(declaration.policies, .policy, Registry.policies, for: route) { stages.add(policy) }
        let form = stages.settings.asks ? LinkForm(declaration, stages, context) : nil
        if form != nil || stages.input.hasFiles { stages.waitingInput = WaitingInput(form: form) }
        if let name = stages.handler.facts.clientName {
            stages.receivers = decodeReceivers(of: "\(stages.handler.name) \(name)", declaration)
        }
        return Chain(stages)
    }

    private func decode<Stage>(
        _ stages: [StageDeclaration], _ kind: ProgramStage.Kind, _ types: [String: StageType<Stage>],
        for route: StageRoute
    ) -> [NamedStage<Stage>] {
        stages.enumerated().compactMap { position, stage in
            types[stage.name]?.decode(
                StageSource(stage: stage, kind: kind, position: position, context: context, route: route))
        }
    }

    /// Decodes the policies for receivers; all routes with the same client name or topic have the same ones.
    private mutating func decodeReceivers(of name: String, _ declaration: RouteDeclaration) -> [Route.PolicyStage] {
        let decoded = decode(declaration.receivers, .policy, Registry.policies, for: declaration.stageRoute)
        let place = declaration.keys.keyPlace("receivers") ?? declaration.handlerPlace ?? declaration.start
        for policy in decoded where !policy.facts.checksOnlyClient {
            faults.report(
                "policy \(policy.name.quoted) does not check receivers: expected one that checks only the client, such as "
                    + "'user' or 'group'", at: place)
        }
        var content: [UInt8] = []
        declaration.receivers.appendContent(to: &content)
        if let known = receivers[name], known.content != content {
            let words = name.split(separator: " ").last ?? ""
            faults.report(
                "'receivers' of '\(words)' must be the same in all its routes", at: place,
                other: Fault.Other("another one is", at: known.place))
        }
        receivers[name] = (content, place)
        return decoded.filter(\.facts.checksOnlyClient).map(\.stage)
    }

    /// Returns the middleware of all routes for a request without a route; nil without middleware.
    ///
    /// It does not see the secrets of routes in a request with a mistyped action.
    func fallback(_ middleware: [StageDeclaration], behind routes: [Built]) -> Route? {
        var stages = Route.Stages(handler: .immediate(NoRouteHandler(schemes: context.schemeNames)))
        let route = StageRoute(captures: RoutePattern.noRoute.captures)
        stages.middleware = decode(middleware, .middleware, Registry.middleware, for: route)
        for secret in routes.flatMap(\.route.chain.secrets)
        where !stages.hiddenSecrets.contains(where: { areEqual($0.parameterName, secret.parameterName) }) {
            stages.hiddenSecrets.append(secret)
        }
        let names = Set(routes.flatMap { $0.route.stages.input.declarations.filter(\.rule.isSecret).map(\.name) })
        stages.hiddenSecrets += names.sorted().map { Secret([], in: $0, at: 0) }
        if stages.middleware.isEmpty { return nil }
        var content: [UInt8] = []
        middleware.appendContent(to: &content)
        return Route(
            scheme: "*", pattern: .noRoute, fingerprint: stableHash(content.span), chain: Chain(stages))
    }

    /// Decodes the stages that no route has, to report their faults.
    func check(_ unused: (middleware: [StageDeclaration], policies: [StageDeclaration])) {
        _ = decode(unused.middleware, .middleware, Registry.middleware, for: .any)
        _ = decode(unused.policies, .policy, Registry.policies, for: .any)
    }
}
