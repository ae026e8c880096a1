public import XCallbackURL

/// What a request ends in.
public enum Response: Hashable, Sendable {
    /// The action was done; the items go to `x-success` in order.
    case success(QueryItems)
    /// The action was not done; the error goes to `x-error`.
    case error(CallbackError)
    /// The user did not want the action to be done; `x-cancel` is told.
    case cancel
    /// Another URL answers: a route of the router itself, or another application.
    case redirect(Callback)
}

extension Response {
    /// Becomes another response.
    ///
    /// What a handler always answers often is what the request before has ended in. Then nothing is done: each reference
    /// that is counted is an atomic operation.
    @inline(__always)
    mutating func become(_ other: Response) {
        if isConstant(other) { return }
        self = other
    }

    /// Whether it is a success with the very same items.
    @inline(__always)
    private func isConstant(_ other: Response) -> Bool {
        guard case .success(let items) = self, case .success(let others) = other else { return false }
        return items.isIdentical(to: others)
    }

    /// Becomes the handler's fault if it holds an item that no answer may carry.
    ///
    /// Names that begin with `x-` belong to the protocol, and a nameless item without a value cannot be written.
    mutating func check() {
        guard case .success(let items) = self, items.hasReservedName else { return }
        self = .error(CallbackError(.internalFailure, "The handler's result has an item with a reserved name."))
    }
}
