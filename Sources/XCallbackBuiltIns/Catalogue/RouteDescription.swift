import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackWire

/// The description of a route for people, and for programs that choose actions.
///
/// The description never affects a decision.
struct RouteDescription {
    /// The maximum numbers of characters of a title, of a description, and of the description of a parameter.
    static let (titleLimit, textLimit, parameterLimit) = (80, 2000, 500)

    private var title: String?
    private var text: String?
    private var parameters: [(name: String, text: String)] = []
    private(set) var effect: Effect?
    /// The name for assistants; nil if the route is not offered to them.
    private(set) var agent: AgentName?
    /// The items of a success that the author promises; nil without a promise.
    private(set) var returns: [ReturnedItem]?

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
        if let input { parameters = input.compactMap { Self.parameter($0, reader.faults) } }
    }

    /// Returns the description of a parameter; nil if it has none.
    private static func parameter(_ member: Node.Member, _ faults: FaultList) -> (name: String, text: String)? {
        guard case .mapping(let rules) = member.value.content, rules.contains(where: { $0.key == "description" }),
            let rules = MappingReader(member.value, of: "a parameter", faults: faults)
        else { return nil }
        return rules.description("description", limit: parameterLimit).map { (member.key, $0) }
    }

    /// Whether the description is empty.
    var isEmpty: Bool {
        title == nil && text == nil && effect == nil && returns == nil && parameters.isEmpty && agent == nil
    }

    /// The description as an object, under the names of the interface.
    var json: JSONValue {
        [
            "title": .text(title), "description": .text(text), "effect": effect?.json ?? .null,
            "returns": returns.map { .array($0.map(\.json)) } ?? .null,
            "agent": .text(agent?.text), "input": .object(parameters.map { .init($0.name, .string($0.text)) }),
        ]
    }
}

extension RouteDescription {
    /// Warns if the handler is known to return other items than the author promises.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - place: The place of the promise.
    ///   - faults: Receives the warnings.
    func warn(of route: Route, at place: @autoclosure () -> Place, _ faults: FaultList) {
        guard let returns, let items = route.stages.handler.facts.returns else { return }
        let place = place()
        for item in returns where !items.contains(where: { areEqual($0.name, item.name) }) {
            faults.warn(
                "the handler never returns the item \(item.name.quoted)"
                    + item.name.suggestion(among: items.map(\.name)), at: place)
        }
        for item in items where !returns.contains(where: { areEqual($0.name, item.name) }) {
            faults.warn("the handler returns the item \(item.name.quoted), which 'returns' does not list", at: place)
        }
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
        let known = Set(parameters.map(\.name))
        let names = route.pattern.captures.map(\.name) + route.queryDeclarations.map(\.name)
        var told: Set<String> = []
        for name in names where !known.contains(name) && told.insert(name).inserted {
            faults.warn(
                "assistants cannot tell what the parameter \(name.quoted) means: add a 'description' in 'input'",
                at: place)
        }
        // Some clients reject all tools if a single one has another parameter name.
        for name in Set(names).sorted() where !name.isNameOfToolParameter {
            faults.report(
                "\(name.quoted) is not a valid parameter name for assistants: expected 1 to 64 letters of ASCII, digits, '_', '-' "
                    + "or '.'", at: place)
        }
        for (name, facts) in route.stages.policyFacts where !facts.acceptsOrigins.contains(Origin.agent.bit) {
            faults.warn("assistants never pass the policy \(name.quoted)", at: place)
        }
        if effect?.changesNothing != true, route.stages.runsUnguardedPrograms {
            faults.warn(
                "an assistant can run a program that may change something: no policy before it checks more than the "
                    + "user, and 'effect' is not 'read'", at: place)
        }
    }
}

extension String {
    /// Whether every client for assistants accepts the text as a parameter name.
    fileprivate var isNameOfToolParameter: Bool {
        (1...64).contains(utf8.count)
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789_-.".unicodeScalars.contains($0))
            }
    }
}
