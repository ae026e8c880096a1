package import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// The descriptions of the routes and schemes of a configuration, apart from the routing table: the request path does
/// not read them.
///
/// They are JSON texts, because most are never read. A configuration without texts has none.
package struct Catalogue: Sendable {
    /// The descriptions by the numbers of their routes.
    private var texts: [Int: [UInt8]] = [:]
    /// The schemes with a title or a description.
    package let schemes: [SchemeDescription]

    /// Creates a catalogue.
    ///
    /// - Parameters:
    ///   - schemes: The descriptions of schemes.
    ///   - routes: The descriptions of routes, in the order of routes.
    init(schemes: [SchemeDescription] = [], routes: [RouteDescription?] = []) {
        self.schemes = schemes
        for (number, description) in routes.enumerated() { texts[number] = description?.json.bytes }
    }

    /// Returns the description of a route as an object; nil if it has none.
    func description(of route: Int) -> JSONValue? {
        texts[route].flatMap { try? JSONValue(parsing: $0.span, maximumSize: $0.count) }
    }
}

/// The description of a scheme.
package struct SchemeDescription: Hashable, Sendable {
    /// The scheme, in lower case.
    package let scheme: String
    /// The text for a menu.
    package let title: String?
    /// The purpose of the scheme.
    package let description: String?
}

/// A filter for the list of routes.
package struct CatalogueQuery: Sendable {
    private let schemes: [String]?
    private let prefix: [UInt8]
    /// The origins that must reach a route.
    private let origins: OriginSet

    /// Creates a filter; by default it matches all routes.
    ///
    /// - Parameters:
    ///   - schemes: The schemes in any case; nil for all.
    ///   - prefix: How the names of the routes begin.
    ///   - origins: The origins that must reach a route.
    package init(schemes: [String]? = nil, prefix: String = "", reachedFrom origins: OriginSet = []) {
        self.schemes = schemes?.map { $0.lowercased() }
        self.prefix = Array(prefix.utf8)
        self.origins = origins
    }

    /// Whether a scheme is listed: always, unless the filter restricts origins and no route of the scheme is reachable
    /// from them.
    fileprivate func shows(scheme: String, of pipeline: Pipeline) -> Bool {
        origins.isEmpty || pipeline.routes.contains { $0.scheme == scheme && $0.reach.isSuperset(of: origins) }
    }

    /// Whether the filter matches a route.
    package func matches(_ route: Route) -> Bool { route.reach.isSuperset(of: origins) && concerns(route) }

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

    /// The schemes that a query lists, with their titles and descriptions.
    private func schemesJSON(for query: CatalogueQuery) -> [JSONValue] {
        pipeline.schemes.filter { query.shows(scheme: $0.name, of: pipeline) }.map { scheme in
            let texts = catalogue.schemes.first { $0.scheme == scheme.name }
            return [
                "scheme": .string(scheme.name), "title": .text(texts?.title), "description": .text(texts?.description),
            ]
        }
    }
}

extension RouterConfiguration {
    /// Returns a route as JSON: `Route` of the interface.
    ///
    /// - Parameters:
    ///   - number: The route's number in the configuration.
    ///   - showsPlace: Whether the object includes the place in the configuration.
    /// - Returns: An object.
    package func routeJSON(_ number: Int, showsPlace: Bool = true) -> JSONValue {
        let route = pipeline.routes[number]
        let texts = catalogue.description(of: number)
        return [
            "route": .string(route.name), "scheme": .string(route.scheme), "pattern": .string(route.pattern.text),
            "syntax": .string(route.pattern.syntax.rawValue),
            "public": .bool(route.isPublic),
            "middleware": .texts(route.stages.middleware.map(\.name)),
            "policies": .texts(route.stages.policyFacts.map(\.name)),
            "handler": .string(route.stages.handler.name), "target": .text(route.stages.handler.facts.clientName),
            "place": .text(showsPlace ? route.place : nil),
            "id": .string(route.identity), "title": texts?["title"] ?? .null,
            "description": texts?["description"] ?? .null, "input": .array(route.parameters(texts?["input"])),
            "strict": .bool(route.stages.input.isStrict), "form": .bool(route.readsForms),
            "returns": route.returns(texts?["returns"]),
            "effect": texts?["effect"] ?? .null, "agent": texts?["agent"] ?? .null,
            "asks": .bool(
                route.stages.asyncPolicies.contains {
                    $0.facts.asksUser && !$0.facts.ignoresOrigins.contains(Origin.agent.bit)
                }),
        ]
    }

    /// All routes as JSON, in the order of the configuration.
    package var routesJSON: JSONValue { .array(pipeline.routes.indices.map { routeJSON($0) }) }
}

extension Route {
    /// The parameters of a request: the captures, then the other declared parameters.
    ///
    /// - Parameter texts: An object with the description of each parameter.
    /// - Returns: One object per parameter.
    fileprivate func parameters(_ texts: JSONValue?) -> [JSONValue] {
        let declarations = stages.input.declarations
        let captures = pattern.captures.map { capture in
            let rule =
                declarations.first(named: capture.name)?.rule
                ?? ParameterRule(type: .string, isList: capture.isWildcard)
            return rule.json(
                capture.name, place: "path", isRequired: !capture.isOptional, texts?[capture.name]?.text)
        }
        return captures
            + queryDeclarations.map {
                $0.rule.json(
                    $0.name, place: "query", isRequired: $0.rule.isRequired && $0.rule.defaultTexts == nil,
                    texts?[$0.name]?.text)
            }
    }

    /// The declared items of the query: neither captures, nor parts of the URL such as `@port`.
    var queryDeclarations: [Input.Declaration] {
        stages.input.declarations.filter { declaration in
            pattern.captures.first(named: declaration.name) == nil
                && !declaredFacts.contains { $0.parameterName == declaration.name }
        }
    }

    /// The items of a success: those that the author promises, or those that are certain; null if unknown.
    fileprivate func returns(_ promised: JSONValue?) -> JSONValue {
        if let promised, promised != .null { return promised }
        return stages.handler.facts.returns.map { .array($0.map(\.json)) } ?? .null
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
            "description": .text(description),
        ]
    }
}
