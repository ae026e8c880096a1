package import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
package import XCallbackWire

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
            "route": .string(route.name), "scheme": .string(route.scheme), "pattern": .string(route.patternText),
            "syntax": .string(route.pattern.syntax.rawValue),
            "public": .bool(route.isPublic),
            "middleware": .texts(route.stages.middleware.map(\.name)), "policies": .texts(route.policyNames),
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
    /// The names of all policies, in the order in which they run.
    package var policyNames: [String] { stages.policies.map(\.name) + stages.asyncPolicies.map(\.name) }

    /// The pattern as written, with the prefixes of its groups.
    package var patternText: String { pattern.text }

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
    fileprivate func json(
        _ name: String, place: String, isRequired: Bool, _ description: String?
    ) -> JSONValue {
        [
            "name": .string(name), "place": .string(place), "type": .string(isList ? "list" : type.name),
            "of": isList ? .string(type.name) : .null, "values": type.valuesJSON, "required": .bool(isRequired),
            "default": defaultTexts.map { .texts($0) } ?? .null, "min": .text(minimum?.description),
            "max": .text(maximum?.description), "min_length": minimumLength.map { .number(JSONNumber($0)) } ?? .null,
            "max_length": maximumLength.map { .number(JSONNumber($0)) } ?? .null, "charset": .text(charset?.text),
            "schemes": schemes.map { .texts($0) } ?? .null,
            "description": .text(description),
        ]
    }
}
