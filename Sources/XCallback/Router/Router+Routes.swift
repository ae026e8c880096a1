import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// What a route says of itself, from the types of the application.
struct RouteTypes: Sendable {
    var title: String?
    var description = ""
    /// The types of its inputs; nil if unknown.
    let inputs: [Any.Type]?
    /// The type of its output; nil if unknown.
    let output: Any.Type?

    /// The items that it reads.
    func input(of route: Route, _ style: QueryStyle) -> TypedItems? {
        let captures = route.pattern.captures
        return inputs.map { TypedItems(of: $0, named: captures.count == 1 ? captures[0].name : inputName, style) }
    }
}

extension Router {
    /// A form of the routes of a router.
    public enum RouteFormat: Sendable {
        /// A file of the daemon's folder `routes.d`, in YAML.
        case dropIn
    }

    /// Returns the routes for the configuration of a daemon that delivers their requests to this router.
    ///
    /// Titles, descriptions, inputs and outputs are those of the types. What the user decides is not in it: policies, `public`,
    /// `agent`, and what is only in the functions.
    ///
    /// - Parameters:
    ///   - format: The form.
    ///   - name: The name with which ``serve(as:through:concurrently:endingOn:observing:)`` is called; nil for the scheme.
    /// - Returns: The text of a file.
    public func routes(as format: RouteFormat, deliveringTo name: String? = nil) -> String {
        var lines = [
            "# The actions of '\(name ?? scheme)', from its types. Policies, 'public' and 'agent' are yours.",
            "schemes:",
        ]
        for scheme in pipeline.schemes.map(\.settings) {
            var settings: [JSONValue.Member] = []
            if scheme.syntax != .callback { settings.append(.init("syntax", .string(scheme.syntax.rawValue))) }
            if scheme.ignoresHosts { settings.append(.init("hosts", .string("ignore"))) }
            lines.append("  \(yaml(.string(scheme.name))): \(yaml(.object(settings)))")
        }
        lines.append("routes:")
        for (route, types) in zip(pipeline.routes, types) {
            lines.append("  - route: \(yaml(.string(route.name)))")
            if let title = types.title { lines.append("    title: \(yaml(.string(title)))") }
            if !types.description.isEmpty { lines.append("    description: \(yaml(.string(types.description)))") }
            lines += members("input", types.input(of: route, style)?.items ?? [], route.pattern.captures)
            if let output = types.output {
                let items = output == Void.self ? nil : TypedItems(of: [output], named: outputName, style)
                if items?.isComplete != false { lines += members("returns", items?.items ?? [], isOutput: true) }
            }
            lines.append("    deliver: \(yaml(.string(name ?? scheme)))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The inputs of its routes, for a daemon that compares them with its configuration.
    var typedRoutes: JSONValue {
        .array(
            zip(pipeline.routes, types).compactMap { route, types in
                types.input(of: route, style).map { input in
                    [
                        "route": .string(route.name), "complete": .bool(input.isComplete),
                        "input": .array(
                            input.items.map { item in
                                .object([.init("name", .string(item.name))] + item.rule.declaration())
                            }),
                    ]
                }
            })
    }

    private func members(
        _ key: String, _ items: [TypedItems.Item], _ captures: [CaptureName] = [], isOutput: Bool = false
    ) -> [String] {
        let lines = items.compactMap { item -> String? in
            let isCapture = captures.contains { $0.name == item.name }
            let declaration = item.rule.declaration(isOutput: isOutput, isCapture: isCapture)
            if isCapture, item.rule.type == .string { return nil }
            return "      \(yaml(.string(item.name))): \(yaml(.object(declaration)))"
        }
        if lines.isEmpty { return isOutput ? ["    \(key): {}"] : [] }
        return ["    \(key):"] + lines
    }
}

/// Returns a value in JSON, which YAML reads, too.
private func yaml(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

extension ParameterRule {
    /// The keys of a declaration.
    fileprivate func declaration(isOutput: Bool = false, isCapture: Bool = false) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = [.init("type", .string(isList ? "list" : type.name))]
        if isList { members.append(.init("of", .string(type.name))) }
        if case .enumeration(let values) = type { members.append(.init("values", .texts(values))) }
        if !isRequired, !isCapture { members.append(.init("required", .bool(false))) }
        if isOutput { return members }
        for (key, bound) in [("min", minimum), ("max", maximum)] {
            guard case .integer(let value)? = bound else { continue }
            members.append(.init(key, .number(JSONNumber(Int(value)))))
        }
        return members
    }
}
