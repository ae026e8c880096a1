public import XCallbackClient

/// What a route says of itself, for people and for programs that choose actions.
///
/// It never decides anything. A router has it only for the drop-in that declares its routes to the daemon
/// (``Router/dropIn(deliveringTo:wait:)``): what a connected program says is not told to others.
public struct About: Hashable, Sendable {
    /// What an action does to the world.
    public typealias Effect = Client.Route.Effect

    /// Whether an action is offered to assistants, and what they call it: `true`, or the name as a text.
    public enum Agent: Hashable, Sendable, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral {
        /// It is not.
        case none
        /// It is, by the name that is made of its scheme and its pattern.
        case offered
        /// It is, by this name: 48 letters and digits of ASCII, `_` and `-` at most.
        case named(String)

        /// Creates an offer, or none.
        public init(booleanLiteral value: Bool) { self = value ? .offered : .none }

        /// Creates an offer by a name.
        public init(stringLiteral value: String) { self = .named(value) }
    }

    /// What a person reads in a menu: one line of 80 characters at most.
    public var title: String
    /// What it does, when to use it, what it does not do: 2,000 characters at most, also in lines.
    public var description: String?
    /// What its parameters mean, by their names as they stand in URLs: 500 characters each at most.
    public var parameters: [String: String]
    /// What it does to the world; nil if nothing is said.
    public var effect: Effect?
    /// Whether it is offered to assistants.
    public var agent: Agent

    /// Creates a description; the daemon checks the lengths when it loads the drop-in.
    ///
    /// - Parameters:
    ///   - title: What a person reads in a menu.
    ///   - description: What it does.
    ///   - parameters: What its parameters mean.
    ///   - effect: What it does to the world.
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
