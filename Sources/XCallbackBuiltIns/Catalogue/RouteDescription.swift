import XCallbackBytes
import XCallbackConfiguration
import XCallbackJSON
import XCallbackPipeline

/// What a route says of itself for people and for programs that choose actions.
///
/// It never decides anything.
struct RouteDescription {
    /// How many characters a title, a description, and that of a parameter may have.
    static let (titleLimit, textLimit, parameterLimit) = (80, 2000, 500)

    private var title: String?
    private var text: String?
    private var parameters: [(name: String, text: String)] = []
    private var effect: Effect?
    /// What the author promises that a success has; nil if nothing.
    private(set) var returns: [ReturnedItem]?

    /// Decodes the keys of a route.
    ///
    /// - Parameters:
    ///   - reader: The route.
    ///   - input: Its parameters.
    init(_ reader: MappingReader, input: [Node.Member]) {
        title = reader.description("title", limit: Self.titleLimit, hasLines: false)
        text = reader.description("description", limit: Self.textLimit)
        effect = reader.node("effect").flatMap { Effect($0, reader.faults) }
        if let place = reader.keyPlace("returns") {
            returns = reader.members("returns", such: "{ id: int }").map {
                ReturnedItem.all(in: $0, at: place, reader.faults)
            }
        }
        parameters = input.compactMap { member in
            guard case .mapping(let rules) = member.value.content, rules.contains(where: { $0.key == "description" }),
                let rules = MappingReader(member.value, of: "a parameter", faults: reader.faults)
            else { return nil }
            return rules.description("description", limit: Self.parameterLimit).map { (member.key, $0) }
        }
    }

    /// Whether it says nothing.
    var isEmpty: Bool {
        title == nil && text == nil && effect == nil && returns == nil && parameters.isEmpty
    }

    /// All of it as an object, with what the daemon tells under the names of the interface.
    var json: JSONValue {
        [
            "title": .text(title), "description": .text(text), "effect": effect?.json ?? .null,
            "returns": returns.map { .array($0.map(\.json)) } ?? .null,
            "input": .object(parameters.map { .init($0.name, .string($0.text)) }),
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
    func warn(of route: Route, at place: Place, _ faults: FaultList) {
        guard let returns, let items = route.stages.handler.stage.certainItems else { return }
        for item in returns where !items.contains(where: { areEqual($0.name, item.name) }) {
            faults.warn(
                "the handler never gives the item \(item.name.quoted)"
                    + item.name.suggestion(among: items.map(\.name)), at: place)
        }
        for item in items where !returns.contains(where: { areEqual($0.name, item.name) }) {
            faults.warn("the handler gives the item \(item.name.quoted), which 'returns' does not name", at: place)
        }
    }
}
