/// The stages of a route as the walk runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// The stages of the chain.
    package let stages: Route.Stages
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// The secrets to remove from requests before the middleware.
    package let secrets: [any SecretPolicy]

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - stages: The stages of the chain.
    ///   - secrets: The policies that have secrets; nil to search for them, which is slow on first use.
    package init(_ stages: Route.Stages, secrets: [any SecretPolicy]? = nil) {
        self.stages = stages
        usesParameters = stages.usesParameters
        self.secrets = stages.hiddenSecrets + (secrets ?? stages.policies.compactMap(\.stage.secret))
    }
}

extension Route.PolicyStage {
    fileprivate var secret: (any SecretPolicy)? {
        if case .immediate(let policy) = self { policy as? any SecretPolicy } else { nil }
    }
}
