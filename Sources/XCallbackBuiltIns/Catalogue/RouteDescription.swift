import XCallbackBytes
import XCallbackConfiguration
import XCallbackJSON
import XCallbackPipeline
import XCallbackRouting

/// What a route says of itself for people and for programs that choose actions.
///
/// It never decides anything.
struct RouteDescription {
    /// How many characters a title, a description, and that of a parameter may have.
    static let (titleLimit, textLimit, parameterLimit) = (80, 2000, 500)

    private var title: String?
    private var text: String?
    private var parameters: [(name: String, text: String)] = []
    private(set) var effect: Effect?
    /// What assistants call it; nil if it is not offered to them.
    private(set) var agent: AgentName?
    /// What the author promises that a success has; nil if nothing.
    private(set) var returns: [ReturnedItem]?

    /// Decodes the keys of a route.
    ///
    /// - Parameters:
    ///   - reader: The route.
    ///   - address: Its scheme and pattern.
    ///   - input: Its parameters; nil if it declares none.
    init(_ reader: MappingReader, _ address: RouteAddress, input: Node.Members?) {
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

    /// What a route says of one of its parameters; nil if that is nothing.
    private static func parameter(_ member: Node.Member, _ faults: FaultList) -> (name: String, text: String)? {
        guard case .mapping(let rules) = member.value.content, rules.contains(where: { $0.key == "description" }),
            let rules = MappingReader(member.value, of: "a parameter", faults: faults)
        else { return nil }
        return rules.description("description", limit: parameterLimit).map { (member.key, $0) }
    }

    /// Whether it says nothing.
    var isEmpty: Bool {
        title == nil && text == nil && effect == nil && returns == nil && parameters.isEmpty && agent == nil
    }

    /// All of it as an object, with what the daemon tells under the names of the interface.
    var json: JSONValue {
        [
            "title": .text(title), "description": .text(text), "effect": effect?.json ?? .null,
            "returns": returns.map { .array($0.map(\.json)) } ?? .null,
            "agent": .text(agent?.text), "input": .object(parameters.map { .init($0.name, .string($0.text)) }),
        ]
    }
}

extension RouteDescription {
    /// Warns if the handler is known to give other items than the author promises.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - place: Where the promise stands.
    ///   - faults: Where it warns.
    func warn(of route: Route, at place: @autoclosure () -> Place, _ faults: FaultList) {
        guard let returns, let items = route.stages.handler.stage.certainItems else { return }
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

// What is likely a mistake in a route that is offered to assistants.
extension RouteDescription {
    /// Warns of what an assistant does not understand, or cannot reach, or should not without another word.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - faults: Where it warns.
    func warnOfAgents(_ route: Route, _ faults: FaultList) {
        guard let place = agent?.place else { return }
        if text == nil {
            faults.warn("assistants cannot tell when to use this action: add a 'description'", at: place)
        }
        let known = Set(parameters.map(\.name))
        let names = route.pattern.captures.map(\.name) + route.stages.input.declarations.map(\.name)
        var told: Set<String> = []
        for name in names where !known.contains(name) && told.insert(name).inserted {
            faults.warn(
                "assistants cannot tell what the parameter \(name.quoted) means: add a 'description' in 'input'",
                at: place)
        }
        // Some clients refuse all tools if one of them has another name of a parameter.
        for name in Set(names).sorted() where !name.isNameOfToolParameter {
            faults.report(
                "\(name.quoted) is not a valid parameter name for assistants: expected 1 to 64 letters of ASCII, digits, '_', '-' "
                    + "or '.'", at: place)
        }
        for policy in route.stages.policies where policy.refusesAgents {
            faults.warn("assistants never pass the policy \(policy.name.quoted)", at: place)
        }
        if effect?.changesNothing != true, route.stages.runsUnguardedPrograms {
            faults.warn(
                "an assistant can run a program that may change something: no policy before it checks more than the "
                    + "user, and 'effect' is not 'read'", at: place)
        }
    }
}

extension String {
    /// Whether every client of an assistant takes it as the name of a parameter.
    fileprivate var isNameOfToolParameter: Bool {
        (1...64).contains(utf8.count)
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789_-.".unicodeScalars.contains($0))
            }
    }
}
