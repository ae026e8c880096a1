package import XCallbackWire

/// The outcome of a tool call.
package enum Outcome: Error, Hashable, Sendable {
    /// A success, with its items as an object.
    case success(JSONValue)
    /// An error, from the handler or the daemon.
    case error(code: Int, message: String)
    /// The user declined.
    case cancel
    /// A success whose items, strings in an object, do not match the declaration of the route.
    case brokenPromise(JSONValue, names: [String])
    /// The call could not be made, or its outcome is unknown.
    case failure(String)

    /// Returns the outcome of a call that is not sent, because the daemon would reject it.
    static func refusal(_ message: String) -> Self { .error(code: 422, message: message) }

    /// Whether the outcome is an error for the model.
    package var isError: Bool { if case .success = self { false } else { true } }

    /// The outcome in a word, for the log.
    package var word: String {
        switch self {
        case .success: "success"
        case .error(let code, _): "error \(code)"
        case .cancel: "cancel"
        case .brokenPromise: "broken promise"
        case .failure: "failure"
        }
    }

    /// The text for the model.
    private var text: String {
        switch self {
        case .success(let items): items.description
        case .error(let code, let message): "error \(code): \(message)"
        case .cancel: "cancelled: the user answered no"
        case .brokenPromise(let items, let names):
            "The action has run, but its answer does not match its declaration (\(names.joined(separator: ", "))): \(items)"
        case .failure(let message): message
        }
    }

    /// The members of a `CallToolResult`.
    var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [.init("content", .array([["type": "text", "text": .string(text)]]))]
        if case .success(let items) = self { members.append(.init("structuredContent", items)) }
        return members + [.init("isError", .bool(isError))]
    }
}
