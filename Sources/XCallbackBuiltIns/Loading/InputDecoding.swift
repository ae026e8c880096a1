import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

extension Input {
    /// Decodes the parameters that a route declares.
    ///
    /// - Parameters:
    ///   - members: The names with their declarations: a type, or a mapping.
    ///   - isStrict: Whether other parameters are errors.
    ///   - faults: Where faults are reported.
    init(_ members: [Node.Member], isStrict: Bool, faults: FaultList) {
        let declarations = members.compactMap { member -> Declaration? in
            if member.key.isEmpty || member.key.lowercased().hasPrefix("x-") {
                faults.report("a parameter cannot be called \(member.key.quoted)", at: member.place)
                return nil
            }
            // After a fault it is one of which nothing else can be wrong.
            let rule = ParameterRule(member.value, faults) ?? ParameterRule(type: .string, isList: true)
            return Declaration(name: member.key, rule: rule)
        }
        self.init(declarations, isStrict: isStrict)
    }
}

extension ParameterRule {
    /// Decodes one declaration; reports what cannot be meant.
    fileprivate init?(_ node: Node, _ faults: FaultList) {
        if case .scalar = node.content {
            guard let name = node.choice(of: ParameterType.names, faults) else { return nil }
            let declaration = ParameterTypeDeclaration(name: name)
            faults.report(declaration.inconsistencies()) { _ in node.place }
            guard let type = declaration.type else { return nil }
            self.init(type: type, isList: declaration.isList)
            return
        }
        guard case .mapping = node.content, let reader = MappingReader(node, of: "a parameter", faults: faults) else {
            let example = "{ type: enum, values: [a, b] }"
            faults.report("expected a type such as int, or a mapping such as \(example), found a list", at: node.place)
            return nil
        }
        defer { reader.finish() }
        // It is read with the description of the route.
        _ = reader.node("description")
        let declaration = ParameterTypeDeclaration(
            name: reader.choice("type", of: ParameterType.names) ?? "string",
            elementName: reader.choice("of", of: ParameterType.names), values: reader.strings("values"))
        var rule = ParameterRule(type: declaration.type ?? .string, isList: declaration.isList)
        rule.readKeys(of: reader)
        faults.report(declaration.inconsistencies()) { reader.keyPlace($0) ?? node.place }
        guard declaration.type != nil else { return nil }
        faults.report(rule.inconsistencies()) { reader.keyPlace($0) ?? node.place }
        self = rule
    }

    private mutating func readKeys(of reader: MappingReader) {
        isRequired = reader.bool("required") ?? true
        defaultTexts = reader.strings("default")
        minimum = Self.bound("min", of: reader)
        maximum = Self.bound("max", of: reader)
        minimumLength = reader.integer("min-length", in: 0...Int.max)
        maximumLength = reader.integer("max-length", in: 0...Int.max)
        allowsLeadingDash = reader.bool("allow-dash") ?? false
        if let text = reader.string("charset") {
            do {
                charset = try ParameterCharset(text)
            } catch {
                reader.faults.report("\(error)", at: reader.node("charset")?.place ?? reader.place)
            }
        }
    }

    private static func bound(_ key: String, of reader: MappingReader) -> Bound? {
        reader.node(key)?.readUnquoted("a number", reader.faults) { Bound($0) }
    }
}

extension FaultList {
    /// Reports what a declaration says that cannot be meant, each at the place of its key.
    fileprivate func report(_ inconsistencies: [ParameterRuleInconsistency], at place: (String) -> Place) {
        for inconsistency in inconsistencies { report(inconsistency.message, at: place(inconsistency.key)) }
    }
}
