public import XCallbackClient

/// The description of an action, for people and for programs that choose actions.
///
/// It never affects decisions: ``Router/routes`` returns it, for menus, and for a test that compares the routes of a router
/// with those of the daemon's configuration.
public struct ActionDescription: Hashable, Sendable {
    /// The effect of an action on the world.
    public typealias Effect = Client.Route.Effect

    /// The title in menus: one line of at most 80 characters.
    public var title: String
    /// What the action does, when to use it, and what it does not do: at most 2,000 characters, in one or more lines.
    public var text: String?
    /// The meanings of its parameters, by their names in URLs: at most 500 characters each.
    public var parameters: [String: String]
    /// The effect on the world; nil if not declared.
    public var effect: Effect?
    /// Its name for assistants: at most 48 ASCII letters, digits, `_` and `-`; nil if it is not offered to them.
    public var agent: String?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - title: The title in menus.
    ///   - text: What the action does.
    ///   - parameters: The meanings of its parameters.
    ///   - effect: The effect on the world.
    ///   - agent: Its name for assistants; nil if it is not offered to them.
    public init(
        title: String, text: String? = nil, parameters: [String: String] = [:], effect: Effect? = nil,
        agent: String? = nil
    ) {
        self.title = title
        self.text = text
        self.parameters = parameters
        self.effect = effect
        self.agent = agent
    }
}
