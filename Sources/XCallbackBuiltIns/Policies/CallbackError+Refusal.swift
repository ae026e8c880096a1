import XCallbackURL

extension CallbackError {
    /// Returns the error that a client sees if a policy rejects its request.
    ///
    /// - Parameters:
    ///   - policy: The name of the policy.
    ///   - reason: The reason, without a full stop and without a value from the request.
    /// - Returns: The error.
    static func refusal(by policy: String, _ reason: String) -> CallbackError {
        CallbackError(.refused, "Policy '\(policy)' refuses the request: \(reason).")
    }

    /// Returns the error that a client sees if a policy fails; the log has the cause.
    static func failure(of policy: String) -> CallbackError {
        CallbackError(.internalFailure, "Policy '\(policy)' failed.")
    }
}
