package import XCallbackJSON

/// What a call of a tool has come to.
package enum Outcome: Error, Hashable, Sendable {
    /// It has succeeded, with these items as an object.
    case success(JSONValue)
    /// An error, by whomever.
    case error(code: Int, message: String)
    /// Somebody has said no.
    case cancel
    /// It has succeeded, and its items, texts in an object, are not those that the route promises.
    case brokenPromise(JSONValue, names: [String])
    /// It could not be asked for, or nothing is known of it.
    case failure(String)

    /// A call that the daemon is not asked for, as it would refuse it.
    static func refusal(_ message: String) -> Self { .error(code: 422, message: message) }

    /// Whether the model is told of an error.
    package var isError: Bool { if case .success = self { false } else { true } }

    /// What it is, in a word, for the log.
    package var word: String {
        switch self {
        case .success: "success"
        case .error(let code, _): "error \(code)"
        case .cancel: "cancel"
        case .brokenPromise: "broken promise"
        case .failure: "failure"
        }
    }

    /// What a model reads.
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
