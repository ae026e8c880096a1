public import XCallbackURL

/// The outcome of a request.
public enum Response: Hashable, Sendable {
    /// The action succeeded; the items go to `x-success` in order.
    case success(QueryItems)
    /// The action failed; the error goes to `x-error`.
    case error(CallbackError)
    /// The user cancelled the action; the answer goes to `x-cancel`.
    case cancel
    /// Another URL is the answer: a route of the router itself, or another application.
    ///
    /// A route of the router answers at once. A request from the desktop or of an assistant keeps its origin there.
    case redirect(Callback)
}

extension Response {
    /// The kinds of outcomes.
    package enum Kind: String, CaseIterable, Sendable {
        case success, error, cancel, redirect
    }

    /// The kind of the outcome.
    package var kind: Kind {
        switch self {
        case .success: .success
        case .error: .error
        case .cancel: .cancel
        case .redirect: .redirect
        }
    }

    /// Replaces the handler's success with an error if it contains an item that no answer can carry.
    ///
    /// Names that begin with `x-` belong to the protocol, and a nameless item without a value cannot be written.
    mutating func check() {
        guard case .success(let items) = self, items.hasReservedName else { return }
        let name = items.lazy.map(\.name).first { $0.lowercased().hasPrefix("x-") } ?? ""
        let fault = name.isEmpty ? "an item without a name" : "the item '\(name.prefix(64))', whose name is reserved"
        self = .error(CallbackError(.internalFailure, "The handler's result has \(fault)."))
    }
}
