package import XCallbackAdministration
package import XCallbackClient
package import XCallbackURL
package import XCallbackWire

/// A route that is offered to assistants as a tool.
package struct Tool: Sendable {
    package let name: String
    package let route: Client.CatalogueRoute
    /// The entry in `tools/list`.
    package let description: JSONValue
    private let parameters: [ToolParameter]
    /// The items of a success; nil if unknown.
    private let returns: [ToolParameter]?

    /// Creates the tool of a route; nil if it is not offered to assistants.
    package init?(_ route: Client.CatalogueRoute) {
        guard let name = route.agentName else { return nil }
        self.name = name
        self.route = route
        parameters = route.parameters.map(ToolParameter.init)
        returns = route.returns?.map(ToolParameter.init)
        // Some clients require a description of every tool.
        var text = route.description ?? route.title ?? route.name
        if route.asks { text += "\n\nThe user is asked before this runs." }
        description = .object(
            .init(present: [
                "name": .string(name), "title": route.title.map { .string($0) },
                "description": .string(text),
                "inputSchema": Self.schema(of: parameters) { $0.inputSchema },
                "outputSchema": returns.map { Self.schema(of: $0.filter(\.hasType)) { $0.outputSchema } },
                "annotations": route.effect.map(Self.annotations),
            ]))
    }

    /// Returns a schema without `additionalProperties`, which some clients cannot read: undeclared names are refused here.
    private static func schema(
        of parameters: [ToolParameter], _ schema: (ToolParameter) -> JSONValue
    ) -> JSONValue {
        let required = parameters.filter(\.isRequired).map(\.name)
        return .object(
            .init(present: [
                "type": "object", "properties": .object(parameters.map { .init($0.name, schema($0)) }),
                "required": required.isEmpty ? nil : .texts(required),
            ]))
    }

    private static func annotations(_ effect: Client.CatalogueRoute.Effect) -> JSONValue {
        [
            "readOnlyHint": .bool(effect.kind == .read), "destructiveHint": .bool(effect.kind == .change),
            "idempotentHint": .bool(effect.isIdempotent), "openWorldHint": .bool(effect.isOpenWorld),
        ]
    }

    /// Returns the parameters of a request for the arguments of a call.
    ///
    /// The daemon validates the values: only values that no URL can carry and undeclared parameters are rejected here.
    ///
    /// - Parameter arguments: The arguments, an object.
    /// - Returns: The parameters.
    /// - Throws: ``Outcome`` of a call that is rejected.
    package func parameters(of arguments: JSONValue) throws(Outcome) -> QueryItems {
        guard case .object(let members) = arguments else { return QueryItems() }
        var items = QueryItems()
        for member in members {
            guard let parameter = parameters.first(named: member.name) else {
                throw .refusal("This action has no parameter '\(member.name)'.")
            }
            if parameter.type == .json, !parameter.isList, let text = member.value.text(as: .json) {
                items.append(member.name, text)
                continue
            }
            switch parameter.isList ? try member.value.listInText(named: member.name) : member.value {
            case .null: continue
            case .array(let elements):
                guard parameter.isList else {
                    throw .refusal("Parameter '\(member.name)' must be one value, not a list.")
                }
                if elements.isEmpty { items.append(member.name, nil) }
                for element in elements {
                    guard let text = element.text(as: parameter.type) else {
                        throw .refusal("Parameter '\(member.name)' must be a list of strings, numbers or Booleans.")
                    }
                    items.append(member.name, text)
                }
            case .object: throw .refusal("Parameter '\(member.name)' must not be an object.")
            case .bool, .number, .string: items.append(member.name, member.value.text(as: parameter.type))
            }
        }
        return items
    }

    /// Returns the outcome for the items of a success.
    ///
    /// - Parameter items: The items.
    /// - Returns: The outcome, which is an error if the items do not match the declaration of the route.
    package func result(of items: QueryItems) -> Outcome {
        var members: [JSONValue.Member] = []
        var texts: [JSONValue.Member] = []
        var violated: [String] = []
        for (name, values) in items.valuesByName {
            let elements = values.map { $0.map(JSONValue.string) ?? .null }
            let text = JSONValue.Member(name, elements.count == 1 ? elements[0] : .array(elements))
            texts.append(text)
            guard let declared = returns?.first(named: name), declared.hasType else {
                members.append(text)
                continue
            }
            if let value = declared.value(of: values) {
                members.append(.init(name, value))
            } else {
                violated.append(name)
            }
        }
        for declared in returns ?? [] where declared.isRequired && !items.contains(name: declared.name) {
            violated.append(declared.name)
        }
        return violated.isEmpty ? .success(.object(members)) : .contractViolation(.object(texts), names: violated)
    }
}

// Names are compared byte by byte, as in the daemon; equal strings can have different bytes.
extension [ToolParameter] {
    /// Returns the parameter with a name.
    fileprivate func first(named name: String) -> ToolParameter? {
        first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension ToolParameter {
    /// Whether it describes the values, and not only their presence.
    fileprivate var hasType: Bool { type != nil || isList }

    /// Returns the values of an item as the declared type; nil if they do not match.
    fileprivate func value(of values: [String?]) -> JSONValue? {
        if isList {
            // A name alone means the empty list.
            if values == [nil] { return .array([]) }
            let elements = values.compactMap { value in value.flatMap { JSONValue($0, as: type) } }
            return elements.count == values.count ? .array(elements) : nil
        }
        guard values.count == 1 else { return nil }
        // A name alone means true.
        guard let text = values[0] else { return type == .boolean ? .bool(true) : nil }
        return JSONValue(text, as: type)
    }
}

extension JSONValue {
    /// Returns the value of a list, which some models write as JSON in a text.
    ///
    /// - Throws: ``Outcome`` if a text looks like a list in JSON, and is not.
    fileprivate func listInText(named name: String) throws(Outcome) -> JSONValue {
        guard let text, text.hasPrefix("["), text.hasSuffix("]") else { return self }
        guard let list = try? JSONValue(parsing: text.utf8.span, maximumSize: ToolServer.messageLimit) else {
            throw .refusal("Parameter '\(name)' must be a list: this text looks like one, but is not JSON.")
        }
        return list
    }

    /// Returns a value as its text in a URL; nil for null, and unless the type is JSON for a list and an object.
    fileprivate func text(as type: ParameterType?) -> String? {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        case .number(let number): type == .integer ? number.wholeText ?? number.text : number.text
        case .array, .object: type == .json ? description : nil
        case .null: nil
        }
    }
}

extension JSONNumber {
    /// The number without point and exponent, if it is an integer (`1.0`, `1e3`) that a 64-bit number with both can hold exactly.
    fileprivate var wholeText: String? {
        if let whole = Int64(text) { return String(whole) }
        guard let value = Double(text), let whole = Int64(exactly: value), value.magnitude <= 0x1p53 else { return nil }
        return String(whole)
    }
}

/// The outcome of a tool call.
package enum Outcome: Error, Hashable, Sendable {
    /// A success, with its items as an object.
    case success(JSONValue)
    /// An error, from the handler or the daemon.
    case error(code: Int, message: String)
    /// The user declined.
    case cancel
    /// A success whose items, strings in an object, do not match the declaration of the route.
    case contractViolation(JSONValue, names: [String])
    /// The call could not be made, or its outcome is unknown.
    case failure(String)

    /// Returns the outcome of a call that is not sent, because the daemon would reject it.
    static func refusal(_ message: String) -> Self { .error(code: 422, message: message) }

    /// Whether the outcome is an error for the model.
    package var isError: Bool { if case .success = self { false } else { true } }

    /// The outcome in a word, for the log.
    package var word: String {
        switch self {
        case .success: "success"
        case .error(let code, _): "error \(code)"
        case .cancel: "cancel"
        case .contractViolation: "contract violation"
        case .failure: "failure"
        }
    }

    /// The text for the model.
    private var text: String {
        switch self {
        case .success(let items): items.description
        case .error(let code, let message): "error: \(message) (\(code))"
        case .cancel: "cancelled: the user answered no, or ended the action while it ran"
        case .contractViolation(let items, let names):
            "The action has run, but its answer does not match its declaration (\(names.joined(separator: ", "))): \(items)"
        case .failure(let message): message
        }
    }

    /// The members of a `CallToolResult`.
    var members: [JSONValue.Member] {
        let items: JSONValue? = if case .success(let items) = self { items } else { nil }
        return .init(present: [
            "content": [["type": "text", "text": .string(text)]], "structuredContent": items, "isError": .bool(isError),
        ])
    }
}
