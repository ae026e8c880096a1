public import XCallbackClient

/// The description of a route, for people and for programs that choose actions.
///
/// It never affects decisions. A router uses it only for the drop-in that declares its routes to the daemon
/// (``Router/dropIn(deliveringTo:wait:)``): a connected program cannot describe itself to others.
public struct About: Hashable, Sendable {
    /// The effect of an action on the world.
    public typealias Effect = Client.Route.Effect

    /// Whether an action is offered to assistants, and its name there: `true`, or the name as a text.
    public enum Agent: Hashable, Sendable, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral {
        /// Not offered.
        case none
        /// Offered with a name derived from its scheme and its pattern.
        case offered
        /// Offered with this name: at most 48 ASCII letters, digits, `_` and `-`.
        case named(String)

        /// Creates an offer with a derived name, or none.
        public init(booleanLiteral value: Bool) { self = value ? .offered : .none }

        /// Creates an offer with a name.
        public init(stringLiteral value: String) { self = .named(value) }
    }

    /// The title in menus: one line of at most 80 characters.
    public var title: String
    /// What the action does, when to use it, and what it does not do: at most 2,000 characters, in one or more lines.
    public var description: String?
    /// The meanings of its parameters, by their names in URLs: at most 500 characters each.
    public var parameters: [String: String]
    /// The effect on the world; nil if not declared.
    public var effect: Effect?
    /// Whether it is offered to assistants.
    public var agent: Agent

    /// Creates a description; the daemon checks the lengths when it loads the drop-in.
    ///
    /// - Parameters:
    ///   - title: The title in menus.
    ///   - description: What the action does.
    ///   - parameters: The meanings of its parameters.
    ///   - effect: The effect on the world.
    ///   - agent: Whether it is offered to assistants.
    public init(
        title: String, description: String? = nil, parameters: [String: String] = [:], effect: Effect? = nil,
        agent: Agent = .none
    ) {
        self.title = title
        self.description = description
        self.parameters = parameters
        self.effect = effect
        self.agent = agent
    }
}

extension About {
    /// The lines of a route in YAML.
    var lines: [String] {
        var lines = ["    title: \(title.yaml)"]
        if let description { lines.append("    description: \(description.yaml)") }
        if let effect { lines.append("    effect: \(effect.yaml)") }
        switch agent {
        case .none: break
        case .offered: lines.append("    agent: true")
        case .named(let name): lines.append("    agent: \(name.yaml)")
        }
        return lines
    }
}

extension Client.Route.Effect {
    fileprivate var yaml: String {
        if !isIdempotent, isOpenWorld { return kind.rawValue }
        return "{ kind: \(kind.rawValue), idempotent: \(isIdempotent), open-world: \(isOpenWorld) }"
    }
}
