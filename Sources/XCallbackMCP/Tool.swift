package import XCallbackJSON
package import XCallbackURL

/// A route that is offered to assistants, as they see it.
package struct Tool: Sendable {
    /// What it is called.
    package let name: String
    /// The `Route` of the daemon's interface.
    package let route: JSONValue
    /// What `tools/list` tells of it.
    package let description: JSONValue
    /// What it takes.
    private let parameters: [ToolParameter]
    /// What a success has; nil if that is not known.
    private let returns: [ToolParameter]?

    /// Reads a `Route` of the daemon's interface; nil if it is not offered to assistants.
    package init?(_ route: JSONValue) {
        guard let name = route["agent"]?.text else { return nil }
        self.name = name
        self.route = route
        parameters = route["input"]?.elements?.compactMap(ToolParameter.init) ?? []
        returns = route["returns"]?.elements?.map(ToolParameter.init).compactMap(\.self)
        var members: [JSONValue.Member] = [.init("name", .string(name))]
        if let title = route["title"]?.text { members.append(.init("title", .string(title))) }
        // Some clients want a description of every tool.
        var text = route["description"]?.text ?? route["title"]?.text ?? route["route"]?.text ?? name
        if route["policies"]?.elements?.contains("confirm") == true {
            text += "\n\nThe user is asked before this runs."
        }
        members.append(.init("description", .string(text)))
        members.append(.init("inputSchema", Self.schema(of: parameters.map { ($0, $0.inputSchema) }, isClosed: true)))
        if let returns {
            members.append(
                .init("outputSchema", Self.schema(of: returns.map { ($0, $0.outputSchema) }, isClosed: false)))
        }
        if let annotations = Self.annotations(route["effect"] ?? .null) {
            members.append(.init("annotations", annotations))
        }
        description = .object(members)
    }

    private static func schema(of parameters: [(ToolParameter, JSONValue)], isClosed: Bool) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("type", "object"),
            .init("properties", .object(parameters.map { .init($0.0.name, $0.1) })),
        ]
        let required = parameters.filter(\.0.isRequired).map { JSONValue.string($0.0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        if isClosed { members.append(.init("additionalProperties", .bool(false))) }
        return .object(members)
    }

    /// What it does to the world; nil if its author says nothing.
    private static func annotations(_ effect: JSONValue) -> JSONValue? {
        guard let kind = effect["kind"]?.text else { return nil }
        return [
            "readOnlyHint": .bool(kind == "read"), "destructiveHint": .bool(kind == "change"),
            "idempotentHint": effect["idempotent"] ?? .bool(false),
            "openWorldHint": effect["open_world"] ?? .bool(true),
        ]
    }

    /// The parameters of a request that has the arguments of a call.
    ///
    /// What a value must be is the daemon's to judge: only what no URL can have is refused here, and what the tool does not
    /// say that it takes.
    ///
    /// - Parameter arguments: The arguments: an object.
    /// - Returns: The parameters.
    /// - Throws: ``Outcome`` of a call that is refused.
    package func parameters(of arguments: JSONValue) throws(Outcome) -> QueryItems {
        guard case .object(let members) = arguments else { return QueryItems() }
        var items = QueryItems()
        for member in members {
            guard let parameter = parameters.first(where: { $0.name == member.name }) else {
                throw .refusal("This action has no parameter '\(member.name)'.")
            }
            switch member.value {
            case .null: continue
            case .array(let elements):
                guard parameter.isList else {
                    throw .refusal("Parameter '\(member.name)' must be one value, and not a list.")
                }
                if elements.isEmpty { items.append(member.name, nil) }
                for element in elements {
                    guard let text = element.text(as: parameter.type) else {
                        throw .refusal("Parameter '\(member.name)' must be a list of texts, numbers or truth values.")
                    }
                    items.append(member.name, text)
                }
            case .object: throw .refusal("Parameter '\(member.name)' must be no object.")
            case .bool, .number, .string: items.append(member.name, member.value.text(as: parameter.type))
            }
        }
        return items
    }

    /// The result of a success.
    ///
    /// - Parameter items: Its items.
    /// - Returns: The result, which is an error if the items are not what the route promises.
    package func result(of items: QueryItems) -> Outcome {
        var members: [JSONValue.Member] = []
        var texts: [JSONValue.Member] = []
        var broken: [String] = []
        for name in items.map(\.name).uniqued() {
            let values = items.filter { $0.name == name }.map(\.value)
            let elements = values.map { $0.map(JSONValue.string) ?? .null }
            let text = JSONValue.Member(name, elements.count == 1 ? elements[0] : .array(elements))
            texts.append(text)
            guard let promise = returns?.first(where: { $0.name == name }) else {
                members.append(text)
                continue
            }
            if let value = promise.value(of: values) { members.append(.init(name, value)) } else { broken.append(name) }
        }
        for promise in returns ?? [] where promise.isRequired && !items.contains(name: promise.name) {
            broken.append(promise.name)
        }
        return broken.isEmpty ? .success(.object(members)) : .brokenPromise(.object(texts), names: broken)
    }
}

extension ToolParameter {
    /// The values of an item as the value that is promised; nil if they are not that.
    fileprivate func value(of values: [String?]) -> JSONValue? {
        if isList {
            // A name alone is the empty list.
            if values == [nil] { return .array([]) }
            let elements = values.compactMap { value in value.flatMap { JSONValue($0, as: type) } }
            return elements.count == values.count ? .array(elements) : nil
        }
        guard values.count == 1 else { return nil }
        // A name alone is a truth.
        guard let text = values[0] else { return type == .boolean ? .bool(true) : nil }
        return JSONValue(text, as: type)
    }
}

extension JSONValue {
    /// A scalar as the text that stands for it in a URL; nil for a list, an object and null.
    fileprivate func text(as type: ParameterType?) -> String? {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        case .number(let number): type == .integer ? number.wholeText ?? number.text : number.text
        case .null, .array, .object: nil
        }
    }
}

extension JSONNumber {
    /// The number without point and exponent, if it is whole (`1.0`, `1e3`), and has not many more digits than 64 bits.
    fileprivate var wholeText: String? {
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: "e", omittingEmptySubsequences: false)
            .flatMap { $0.split(separator: "E", omittingEmptySubsequences: false) }
        let digits = parts[0].split(separator: ".")
        let fraction = digits.count > 1 ? digits[1] : ""
        guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, exponent.magnitude < 64, fraction.count < 64 else {
            return nil
        }
        var all = String(digits[0] + fraction)
        let shift = exponent - fraction.count
        if shift >= 0 {
            all += String(repeating: "0", count: shift)
        } else {
            guard all.suffix(-shift).allSatisfy({ $0 == "0" }) else { return nil }
            all = String(all.dropLast(-shift))
        }
        let rest = String(all.drop { $0 == "0" })
        return rest.isEmpty ? "0" : (isNegative ? "-" : "") + rest
    }
}

extension [String] {
    /// The texts, each where it comes first.
    fileprivate func uniqued() -> [String] {
        var known: Set<String> = []
        return filter { known.insert($0).inserted }
    }
}
