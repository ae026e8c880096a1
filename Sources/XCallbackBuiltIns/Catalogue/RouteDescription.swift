import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The description of a route for people, and for programs that choose actions.
///
/// The description never affects a decision.
struct RouteDescription: Sendable {
    /// The maximum numbers of characters of a title, of a description, and of the description of a parameter.
    static let (titleLimit, textLimit, parameterLimit) = (80, 2000, 500)

    /// The keys of a route that no stage can depend on; a question shows the title.
    static let keys = ["agent", "description", "effect", "icon", "menu", "returns"]

    private(set) var title: String?
    private(set) var text: String?
    private(set) var parameters: [(name: String, text: String)] = []
    private(set) var effect: Effect?
    /// The name for assistants; nil if the route is not offered to them.
    private(set) var agent: AgentName?
    /// The items of a success that the author promises; nil without a promise.
    private(set) var returns: [ReturnedItem]?
    private(set) var icon: String?
    /// Whether launchers show the route.
    private(set) var isInMenu = false

    /// Decodes the keys of a route.
    ///
    /// - Parameters:
    ///   - reader: The route.
    ///   - address: The scheme and the pattern.
    ///   - input: The parameters; nil if the route declares none.
    init(_ reader: MappingReader, _ address: RouteAddress, input: [Node.Member]?) {
        agent = AgentName(reader, address)
        title = reader.description("title", limit: Self.titleLimit, hasLines: false)
        text = reader.description("description", limit: Self.textLimit)
        effect = reader.node("effect").flatMap { Effect($0, reader.faults) }
        if let place = reader.keyPlace("returns") {
            returns = reader.members("returns", such: "{ id: int }").map {
                ReturnedItem.all(in: $0, at: place, reader.faults)
            }
        }
        icon = reader.description("icon", limit: Self.textLimit, hasLines: false)
        isInMenu = reader.bool("menu") ?? false
        if isInMenu, let place = reader.keyPlace("menu"), reader.node("title") == nil {
            reader.faults.report("'menu: true' needs a 'title', which launchers show", at: place)
        }
        if let input { parameters = input.compactMap { Self.parameter($0, reader.faults) } }
    }

    /// Returns the description of a parameter; nil if it has none.
    private static func parameter(_ member: Node.Member, _ faults: FaultList) -> (name: String, text: String)? {
        guard case .mapping(let rules) = member.value.content, rules.contains(where: { $0.key == "description" }),
            let rules = MappingReader(member.value, of: "a parameter", faults: faults)
        else { return nil }
        return rules.description("description", limit: parameterLimit).map { (member.key, $0) }
    }
}

// Likely mistakes in a route that is offered to assistants.
extension RouteDescription {
    /// Warns about everything that an assistant cannot understand or reach, and about unguarded programs.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - faults: Receives the warnings.
    func warnOfAgents(_ route: Route, _ faults: FaultList) {
        guard let place = agent?.place else { return }
        if text == nil {
            faults.warn("assistants cannot tell when to use this action: add a 'description'", at: place)
        }
        let names = route.pattern.captures.map(\.name) + route.queryDeclarations.map(\.name)
        // Some clients reject all tools if a single one has another parameter name.
        for name in Set(names).sorted()
        where !(1...64).contains(name.utf8.count) || !name.hasOnlyAlphanumerics(and: "_-.") {
            faults.report(
                "\(name.quoted) is not a valid parameter name for assistants: expected 1 to 64 letters of ASCII, digits, '_', '-' "
                    + "or '.'", at: place)
        }
        for (name, facts) in route.stages.policyFacts where !facts.acceptsOrigins.contains(Origin.agent.bit) {
            faults.warn("assistants never pass the policy \(name.quoted)", at: place)
        }
        if effect?.changesNothing != true, route.stages.actsUnguarded {
            faults.warn(
                "an assistant can run this \(route.stages.handler.facts.runsProgram ? "program" : "action"), which may change "
                    + "something: no policy before it checks more than the user, and 'effect' is not 'read'", at: place)
        }
    }
}

/// The name of a route for assistants: `agent: true`, or `agent: append_note`.
///
/// The name depends on the route alone: other routes cannot change the action that a remembered permission refers to.
struct AgentName {
    /// The name.
    let text: String
    /// The place of the `agent` key.
    let place: Place

    /// The maximum length of a name: clients add their own prefix.
    private static let limit = 48

    /// Decodes the key; nil if it is missing or `false`, or after a fault.
    init?(_ reader: MappingReader, _ address: RouteAddress) {
        guard let node = reader.node("agent") else { return nil }
        place = node.place
        if let truth = node.truth {
            // 'no' is not a name, and must not offer a route that its author wants to hide.
            guard node.bool(reader.faults) != nil, truth, let scheme = address.scheme else { return nil }
            text = address.pattern.name(after: scheme)
        } else {
            guard let name = node.string(reader.faults) else { return nil }
            text = name
        }
        let isName = text.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "-") }
        guard isName, (1...Self.limit).contains(text.utf8.count) else {
            reader.faults.report(
                "\(text.quoted) is not a valid name for assistants: expected 1 to \(Self.limit) letters, digits, '_' or '-', as in "
                    + "'agent: append_note'", at: place)
            return nil
        }
    }
}

extension RoutePattern {
    /// The scheme, then the texts and the names of captures, joined with `_`; every character except ASCII letters,
    /// digits, and `-` becomes `_`.
    fileprivate func name(after scheme: String) -> String {
        let text = ([scheme] + wordsOfFullest).joined(separator: "_")
        return String(
            text.unicodeScalars.map { scalar in
                let isKept = scalar.isASCII && isNameByte(UInt8(scalar.value)) || scalar == "-"
                return isKept ? Character(scalar) : "_"
            })
    }
}

/// The effect of an action, as its author declares it: `effect: read`, or
/// `effect: { kind: add, idempotent: true, open-world: false }`.
///
/// The words are those of tool annotations in the Model Context Protocol.
struct Effect: Hashable {
    /// The effect on existing data.
    enum Kind: String, CaseIterable {
        /// Nothing changes.
        case read
        /// Nothing is lost.
        case add
        /// Something may be lost.
        case change
    }

    private var kind = Kind.change
    /// Whether a repeated request has no further effect.
    private var isIdempotent = false
    /// Whether the action reaches beyond this machine.
    private var isOpenWorld = true

    /// Whether the action only reads.
    var changesNothing: Bool { kind == .read }

    init?(_ node: Node, _ faults: FaultList) {
        if case .mapping = node.content {
            guard let reader = MappingReader(node, of: "an effect", faults: faults) else { return nil }
            kind = reader.choice("kind", of: Kind.self) ?? kind
            isIdempotent = reader.bool("idempotent") ?? isIdempotent
            isOpenWorld = reader.bool("open-world") ?? isOpenWorld
            reader.finish()
        } else {
            guard let kind = node.choice(of: Kind.self, faults) else { return nil }
            self.kind = kind
        }
    }

    /// The effect as JSON: `Effect` of the interface.
    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "idempotent": .bool(isIdempotent), "open_world": .bool(isOpenWorld),
        ]
    }
}

extension ReturnedItem {
    /// The maximum number of items that a route can declare.
    private static let limit = 64

    /// Decodes the items that the author of a route promises: names with types, as in `input`.
    ///
    /// - Parameters:
    ///   - members: The items.
    ///   - place: The place of the declaration.
    ///   - faults: Receives faults.
    /// - Returns: The items without faults.
    static func all(in members: [Node.Member], at place: Place, _ faults: FaultList) -> [ReturnedItem] {
        if members.count > limit {
            faults.report("expected at most \(limit) items, found \(members.count)", at: place)
        }
        return members.compactMap { ReturnedItem($0, faults) }
    }

    private init?(_ member: Node.Member, _ faults: FaultList) {
        self.init(name: member.key)
        if name.isEmpty || name.lowercased().hasPrefix("x-") {
            faults.report("an item of an answer cannot be called \(name.quoted)", at: member.place)
        }
        faults.reportHidden(in: name, "name", at: member.place)
        var declaration = ParameterTypeDeclaration()
        var reader: MappingReader?
        if case .scalar = member.value.content {
            guard let word = member.value.choice(of: ParameterType.names, faults) else { return nil }
            declaration.name = word
        } else {
            reader = MappingReader(member.value, of: "a returned item", faults: faults)
            guard let reader else { return nil }
            declaration = ParameterTypeDeclaration(reader)
            isRequired = reader.bool("required") ?? true
            isSecret = reader.bool("secret") ?? false
            description = reader.description("description", limit: RouteDescription.parameterLimit)
            reader.finish()
        }
        faults.report(declaration.inconsistencies()) { reader?.keyPlace($0) ?? member.value.place }
        guard let type = declaration.type else { return nil }
        self.type = type
        isList = declaration.isList
    }

    /// The item as JSON: `Parameter` of the interface.
    var json: JSONValue {
        var rule = ParameterRule(type: type ?? .string, isList: isList)
        rule.isSecret = isSecret
        return rule.json(name, place: nil, isTyped: type != nil, isRequired: isRequired, description)
    }
}

extension ParameterType {
    /// The values of an enumeration as JSON; null for any other type.
    var valuesJSON: JSONValue {
        if case .enumeration(let values) = self { .texts(values) } else { .null }
    }
}

extension MappingReader {
    /// Reads a text for people, without invisible characters, because programs and models would read those.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - limit: The maximum number of characters.
    ///   - hasLines: Whether the text can have several lines.
    /// - Returns: The text without surrounding blanks; nil if the key is missing, or after a fault.
    func description(_ key: String, limit: Int, hasLines: Bool = true) -> String? {
        guard let node = node(key), let written = node.string(faults) else { return nil }
        let text = written.withoutBlanksAround
        if text.unicodeScalars.allSatisfy({ $0.value == 0x200C || $0.value == 0x200D || $0.properties.isWhitespace }) {
            faults.report("expected some text", at: node.place)
        } else if text.unicodeScalars.count > limit {
            faults.report(
                "expected at most \(limit) characters, found \(text.unicodeScalars.count)", at: node.place)
        } else if !hasLines, text.unicodeScalars.contains("\n") {
            faults.report("expected one line", at: node.place)
        } else if !faults.reportHidden(in: text, "text", except: "\n", at: node.place) {
            return text
        }
        return nil
    }

    /// Reads one value or a list of values that people and models read.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - kept: The invisible characters that are allowed.
    /// - Returns: The values; nil if the key is missing, or if it is not a list of texts.
    func visibleStrings(_ key: String, except kept: String = "") -> [String]? {
        guard let node = node(key) else { return nil }
        for element in node.elements {
            guard case .scalar(let scalar) = element.content else { continue }
            faults.reportHidden(in: scalar.text, "value", except: kept, at: element.place)
        }
        return node.strings(faults)
    }
}

extension FaultList {
    /// Reports an invisible character, because programs and models would read it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - what: The noun for the text in the message.
    ///   - kept: The invisible characters that are allowed.
    ///   - place: The place of the text.
    /// - Returns: Whether the text has an invisible character.
    @discardableResult
    func reportHidden(in text: String, _ what: String, except kept: String = "", at place: Place) -> Bool {
        // A fast path for visible ASCII, which covers nearly all texts.
        if !text.utf8.contains(where: { !(0x20...0x7E).contains($0) }) { return false }
        guard let scalar = text.unicodeScalars.first(where: { $0.isHidden && !kept.unicodeScalars.contains($0) })
        else { return false }
        report("the \(what) holds \(scalar.codePoint), which is invisible: remove it", at: place)
        return true
    }
}

extension String {
    fileprivate var withoutBlanksAround: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[start...last])
    }
}
