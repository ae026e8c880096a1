package import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// The descriptions of the schemes and routes of a configuration, apart from the routing table: the request path does not
/// read them.
package struct Catalogue: Sendable {
    /// The schemes with a title or a description.
    var schemes: [SchemeDescription] = []
    /// The descriptions of all routes, in the order of routes.
    var routes: [RouteDescription] = []
}

/// An action that launchers show: a route with `menu: true`, the title or the name of its scheme, and its icon or that of the
/// scheme.
package typealias MenuItem = (route: Route, title: String, description: String?, group: String, icon: String?)

/// The description of a scheme.
struct SchemeDescription {
    /// The scheme, in lower case.
    let scheme: String
    /// The text for a menu.
    let title: String?
    /// The purpose of the scheme.
    let description: String?
    let icon: String?
}

/// A filter for the list of routes.
package struct CatalogueQuery: Sendable {
    private let schemes: [String]?
    private let prefix: [UInt8]
    /// The origins that must reach a route.
    private let origins: OriginSet
    /// The client, if it may see only what it may open.
    private let viewer: Viewer?

    /// Creates a filter; by default it matches all routes.
    ///
    /// - Parameters:
    ///   - schemes: The schemes in any case; nil for all.
    ///   - prefix: How the names of the routes begin.
    ///   - origins: The origins that must reach a route.
    ///   - viewer: The client that must be allowed to open a route; nil for one that sees all.
    package init(
        schemes: [String]? = nil, prefix: String = "", reachedFrom origins: OriginSet = [], by viewer: Viewer? = nil
    ) {
        self.schemes = schemes?.map { $0.lowercased() }
        self.prefix = Array(prefix.utf8)
        self.origins = origins
        self.viewer = viewer
    }

    /// Whether a scheme is listed: always, unless the filter restricts origins or clients, and no route of the scheme passes.
    fileprivate func shows(scheme: String, of pipeline: Pipeline) -> Bool {
        origins.isEmpty && viewer == nil || pipeline.routes.contains { $0.scheme == scheme && isReached($0) }
    }

    /// Whether requests of the origins and of the client reach a route, and no policy refuses all of them.
    private func isReached(_ route: Route) -> Bool {
        route.reach.isSuperset(of: origins) && viewer?.sees(route) != false
            && (origins.isEmpty
                || route.stages.policyFacts.allSatisfy { $0.facts.acceptsOrigins.isSuperset(of: origins) })
    }

    /// Whether the filter matches a route.
    package func matches(_ route: Route) -> Bool { concerns(route) && isReached(route) }

    /// Whether the filter matches a route regardless of origins: the origins that reach a changed route can have
    /// changed too.
    package func concerns(_ route: Route) -> Bool {
        route.name.utf8.starts(with: prefix)
            && (schemes?.contains(route.scheme) ?? true)
    }
}

extension RouterConfiguration {
    /// Returns the list of routes as the JSON object of a reply to `Routes`; slow, so do not call it on an event loop.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - revision: The number of the configuration.
    ///   - showsPlaces: Whether the list includes places in the configuration.
    /// - Returns: The object.
    package func routeList(_ query: CatalogueQuery, revision: Int, showsPlaces: Bool) -> [UInt8] {
        var text = Array("{\"routes\":[".utf8)
        var isFirst = true
        for (number, route) in pipeline.routes.enumerated() where query.matches(route) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text += routeJSON(number, showsPlace: showsPlaces).bytes
        }
        text += "],\"revision\":\(revision),\"schemes\":\(JSONValue.array(schemesJSON(for: query)))}".utf8
        return text
    }

    /// The actions that launchers show, in the order of routes.
    package var menuItems: [MenuItem] {
        zip(pipeline.routes, catalogue.routes).compactMap { route, texts in
            guard texts.isInMenu, let title = texts.title else { return nil }
            let scheme = catalogue.schemes.first { $0.scheme == route.scheme }
            return (route, title, texts.text, scheme?.title ?? route.scheme, texts.icon ?? scheme?.icon)
        }
    }

    /// The schemes that a query lists, with their titles and descriptions.
    private func schemesJSON(for query: CatalogueQuery) -> [JSONValue] {
        pipeline.schemes.filter { query.shows(scheme: $0.name, of: pipeline) }.map { scheme in
            let texts = catalogue.schemes.first { $0.scheme == scheme.name }
            return [
                "scheme": .string(scheme.name), "title": .text(texts?.title), "description": .text(texts?.description),
            ]
        }
    }

    /// Returns a route as JSON: `Route` of the interface.
    ///
    /// - Parameters:
    ///   - number: The route's number in the configuration.
    ///   - showsPlace: Whether the object includes the place in the configuration.
    /// - Returns: An object.
    package func routeJSON(_ number: Int, showsPlace: Bool = true) -> JSONValue {
        let route = pipeline.routes[number]
        let texts = number < catalogue.routes.count ? catalogue.routes[number] : nil
        return [
            "route": .string(route.name), "scheme": .string(route.scheme), "pattern": .string(route.pattern.text),
            "syntax": .string(route.pattern.syntax.rawValue),
            "public": .bool(route.isPublic),
            "middleware": .texts(route.stages.middleware.map(\.name)),
            "policies": .texts(route.stages.policyFacts.map(\.name)),
            "handler": .string(route.stages.handler.name), "target": .text(route.stages.handler.facts.clientName),
            "place": .text(showsPlace ? route.place : nil),
            "id": .string(route.identity), "title": .text(texts?.title), "description": .text(texts?.text),
            "input": .array(route.parameters(texts?.parameters ?? [])),
            "strict": .bool(route.stages.input.isStrict), "form": .bool(route.readsForms),
            "returns": (texts?.returns ?? route.stages.handler.facts.returns).map { .array($0.map(\.json)) } ?? .null,
            "effect": texts?.effect?.json ?? .null, "agent": .text(texts?.agent?.text),
            "asks": .bool(
                route.stages.asyncPolicies.contains {
                    $0.facts.asksUser && !$0.facts.ignoresOrigins.contains(Origin.agent.bit)
                }),
        ]
    }
}

extension Route {
    /// The parameters of a request: the captures, then the other declared parameters.
    ///
    /// - Parameter texts: The descriptions of parameters.
    /// - Returns: One object per parameter.
    fileprivate func parameters(_ texts: [(name: String, text: String)]) -> [JSONValue] {
        func text(_ name: String) -> String? { texts.first { areEqual($0.name, name) }?.text }
        let declarations = stages.input.declarations
        let captures = pattern.captures.map { capture in
            let rule =
                declarations.first(named: capture.name)?.rule
                ?? ParameterRule(type: .string, isList: capture.isWildcard)
            return rule.json(
                capture.name, place: "path", isRequired: !capture.isOptional, text(capture.name))
        }
        return captures
            + queryDeclarations.map {
                $0.rule.json(
                    $0.name, place: "query", isRequired: $0.rule.isRequired && $0.rule.defaultTexts == nil,
                    text($0.name))
            }
    }

    /// The declared items of the query: neither captures, nor parts of the URL such as `@port`.
    var queryDeclarations: [Input.Declaration] {
        stages.input.declarations.filter { declaration in
            pattern.captures.first(named: declaration.name) == nil
                && !declaredFacts.contains { $0.parameterName == declaration.name }
        }
    }
}

extension ParameterRule {
    /// The parameter as JSON: `Parameter` of the interface.
    func json(
        _ name: String, place: String?, isTyped: Bool = true, isRequired: Bool, _ description: String?
    ) -> JSONValue {
        [
            "name": .string(name), "place": .text(place), "type": .text(isList ? "list" : isTyped ? type.name : nil),
            "of": isList ? .string(type.name) : .null, "values": type.valuesJSON, "required": .bool(isRequired),
            "default": defaultTexts.map { .texts($0) } ?? .null, "min": .text(minimum?.description),
            "max": .text(maximum?.description), "min_length": minimumLength.map { .number(JSONNumber($0)) } ?? .null,
            "max_length": maximumLength.map { .number(JSONNumber($0)) } ?? .null, "charset": .text(charset?.text),
            "schemes": schemes.map { .texts($0) } ?? .null,
            "description": .text(description), "secret": .bool(isSecret),
        ]
    }
}
