/// A contradiction in the declaration of a parameter, such as a minimum above the maximum.
package struct ParameterRuleInconsistency: Hashable, Sendable {
    /// The configuration key with the fault, such as `min-length`.
    package let key: String
    /// The fault, for a person, in lowercase and without a full stop.
    package let message: String

    /// Creates an inconsistency.
    package init(key: String, message: String) {
        self.key = key
        self.message = message
    }
}
