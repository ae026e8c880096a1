import XCallbackPipeline

/// The demands of a stage on requests, or its changes to them, as far as other stages can contradict them.
///
/// Each stage type states its claim where it is decoded: testing a stage's protocol conformances takes thousands of
/// instructions.
enum StageClaim {
    /// The policy accepts only requests that have one of some values.
    case values(any ValuePolicy)
    /// The policy accepts only requests from some origins.
    case origins(any ValuePolicy)
    /// The policy requires parameters.
    case demand(any ParameterDemand)
    /// The policy removes a secret from requests.
    case secret(any SecretPolicy)
    /// The middleware adds or removes parameters.
    case change(any ParameterChange)
}

/// A policy that accepts requests by a single value that must be one of some values.
protocol ValuePolicy: Sendable {
    /// The accepted values.
    var acceptedValues: Set<String> { get }
}

/// A policy on the origins of requests.
protocol OriginValuePolicy: ValuePolicy {}

/// A policy that requires parameters.
protocol ParameterDemand: Sendable {
    /// The names of the required parameters.
    var demandedNames: [String] { get }
}

/// Middleware that adds or removes parameters.
protocol ParameterChange: Sendable {
    /// The names of parameters that can exist afterward.
    var addedNames: [String] { get }
    /// Returns advice on how to keep a parameter; nil if it is not removed.
    func advice(keeping name: String) -> String?
}

extension ConfiguredStage {
    /// No claim.
    var claim: StageClaim? { nil }
}

extension ConfiguredStage where Self: ValuePolicy {
    var claim: StageClaim? { .values(self) }
}

extension ConfiguredStage where Self: OriginValuePolicy {
    var claim: StageClaim? { .origins(self) }
}

extension ConfiguredStage where Self: ParameterDemand {
    var claim: StageClaim? { .demand(self) }
}

extension ConfiguredStage where Self: SecretPolicy {
    var claim: StageClaim? { .secret(self) }
}

extension ConfiguredStage where Self: ParameterChange {
    var claim: StageClaim? { .change(self) }
}
