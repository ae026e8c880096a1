import XCallbackURL

extension CallbackError {
    /// What a client hears when a policy refuses its request.
    ///
    /// - Parameters:
    ///   - policy: The policy's name.
    ///   - reason: Why, without a full stop and without a value of the request.
    /// - Returns: The error.
    static func refusal(by policy: String, _ reason: String) -> CallbackError {
        CallbackError(.refused, "Policy '\(policy)' refuses the request: \(reason).")
    }

    /// What a client hears when a policy has no verdict; the log has the cause.
    static func failure(of policy: String) -> CallbackError {
        CallbackError(.internalFailure, "Policy '\(policy)' failed.")
    }
}
