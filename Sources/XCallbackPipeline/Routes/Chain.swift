/// The stages of a route as the execution runs them; routes with equal stages share one.
package final class Chain: Sendable {
    /// The stages.
    package let stages: Route.Stages
    /// Whether a stage uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// The secrets to remove from requests before the middleware.
    package let secrets: [Secret]

    /// Creates a chain.
    package init(_ stages: Route.Stages) {
        self.stages = stages
        declaresInput = !stages.input.isEmpty
        usesParameters =
            declaresInput || stages.notice != nil || stages.handler.facts.usesParameters
            || stages.middleware.contains(where: \.facts.usesParameters)
            || stages.policyFacts.contains(where: \.facts.usesParameters)
        secrets = stages.hiddenSecrets + stages.policies.compactMap(\.facts.secret)
    }
}
