/// Something a declaration of a parameter says that cannot be meant, such as a minimum above the maximum.
package struct ParameterRuleInconsistency: Hashable, Sendable {
    /// The key of the configuration that is at fault, such as `min-length`.
    package let key: String
    /// What is wrong, for a person, in lower case and without a full stop.
    package let message: String

    /// Creates an inconsistency.
    package init(key: String, message: String) {
        self.key = key
        self.message = message
    }
}
