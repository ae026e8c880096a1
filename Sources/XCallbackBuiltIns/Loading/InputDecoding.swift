import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

extension Input {
    /// Decodes the declared parameters of a route.
    ///
    /// - Parameters:
    ///   - members: The names and their declarations, each a type or a mapping; nil without declarations.
    ///   - syntax: The syntax of the route's URLs.
    ///   - isStrict: Whether undeclared parameters are errors.
    ///   - maximumElements: The maximum number of elements of all lists of a request.
    ///   - faults: Receives faults.
    init(_ members: [Node.Member]?, as syntax: URLSyntax, isStrict: Bool, maximumElements: Int, faults: FaultList) {
        let declarations = members?.compactMap { member -> Declaration? in
            if member.key.isEmpty || syntax == .callback && member.key.lowercased().hasPrefix("x-") {
                faults.report("a parameter cannot be called \(member.key.quoted)", at: member.place)
                return nil
            }
            faults.reportHidden(in: member.key, "name", at: member.place)
            // After a fault, a rule that cannot cause further faults.
            let rule = ParameterRule(member.value, faults) ?? ParameterRule(type: .string, isList: true)
            return Declaration(name: member.key, rule: rule)
        }
        self.init(declarations ?? [], isStrict: isStrict, maximumElements: maximumElements)
    }
}

extension ParameterRule {
    /// Decodes a declaration; reports inconsistencies.
    fileprivate init?(_ node: Node, _ faults: FaultList) {
        if node.reportList(faults) { return nil }
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
        // The description of the route includes it.
        _ = reader.node("description")
        if reader.node("type")?.reportList(faults) == true { return nil }
        let declaration = ParameterTypeDeclaration(reader)
        // After a fault in the values, other inconsistencies are uncertain.
        let areValuesUnknown = declaration.values == nil && reader.node("values") != nil
        var rule = ParameterRule(type: declaration.type ?? .string, isList: declaration.isList)
        rule.readKeys(of: reader)
        let inconsistencies = declaration.inconsistencies().filter { $0.key != "values" || !areValuesUnknown }
        faults.report(inconsistencies) { reader.keyPlace($0) ?? node.place }
        guard declaration.type != nil else { return nil }
        faults.report(rule.inconsistencies()) { reader.keyPlace($0) ?? node.place }
        self = rule
    }

    private mutating func readKeys(of reader: MappingReader) {
        isRequired = reader.bool("required") ?? true
        defaultTexts = defaultTexts(of: reader)
        minimum = Self.bound("min", of: reader)
        maximum = Self.bound("max", of: reader)
        minimumLength = reader.integer("min-length", in: 0...Int.max)
        maximumLength = reader.integer("max-length", in: 0...Int.max)
        schemes = reader.visibleStrings("schemes")?.map { $0.lowercased() }
        allowsLeadingDash = reader.bool("allow-dash") ?? false
        isSecret = reader.bool("secret") ?? false
        if let text = reader.string("charset"), let place = reader.node("charset")?.place {
            reader.faults.reportHidden(in: text, "charset", except: "\t\n\r", at: place)
            do {
                charset = try ParameterCharset(text)
            } catch {
                reader.faults.report("\(error)", at: place)
            }
        }
    }

    /// Reads the default; reports a key without a value.
    private func defaultTexts(of reader: MappingReader) -> [String]? {
        guard !isList, let node = reader.node("default"), node.isNull else {
            return reader.visibleStrings("default", except: "\t\n")
        }
        let empty = type == .string ? "write '' for an empty text, or " : ""
        reader.faults.report(
            "expected a value after 'default', found nothing: \(empty)leave 'default' out", at: node.place)
        return nil
    }

    private static func bound(_ key: String, of reader: MappingReader) -> Bound? {
        reader.node(key)?.readUnquoted("a number", reader.faults) { Bound($0) }
    }
}

extension ParameterTypeDeclaration {
    /// Decodes the keys of a type.
    init(_ reader: MappingReader) {
        self.init(
            name: reader.choice("type", of: ParameterType.names) ?? "string",
            elementName: reader.choice("of", of: ParameterType.names), values: reader.visibleStrings("values"))
    }
}

extension FaultList {
    /// Reports the inconsistencies of a declaration, each at the place of its key.
    func report(_ inconsistencies: [ParameterRuleInconsistency], at place: (String) -> Place) {
        for inconsistency in inconsistencies { report(inconsistency.message, at: place(inconsistency.key)) }
    }
}

extension Node {
    /// Reports a list type in another language's syntax: `[int]`, `int[]`, `list<int>`; false if it is none.
    fileprivate func reportList(_ faults: FaultList) -> Bool {
        var text = ""
        switch content {
        case .scalar(let scalar): text = scalar.text
        case .sequence(let items):
            guard items.count == 1, case .scalar(let scalar)? = items.first?.content else { return false }
            text = "[\(scalar.text)]"
        case .mapping: return false
        }
        guard text.contains("[") || text.contains("<") else { return false }
        let words = text.split { "[]<>".contains($0) }.map(String.init)
        guard let word = words.last, let type = word.nearest(among: ParameterType.names, areKeys: true), type != "list"
        else {
            return false
        }
        faults.report("unknown type \(text.quoted): a list is written '{ type: list, of: \(type) }'", at: place)
        return true
    }
}
