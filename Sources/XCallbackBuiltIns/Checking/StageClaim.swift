import XCallbackPipeline

/// What a stage demands of the requests of its route, or does to them, as far as other stages can contradict it.
///
/// Each type of stage says so where it is decoded: to ask a stage of which protocols it is takes thousands of instructions.
enum StageClaim {
    /// The policy lets only those requests pass that have one of some values.
    case values(any ValuePolicy)
    /// The policy lets only those requests pass that come in on one of some ways.
    case origins(any ValuePolicy)
    /// The policy demands parameters.
    case demand(any ParameterDemand)
    /// The policy takes a secret out of requests.
    case secret(any SecretPolicy)
    /// The middleware adds parameters, or takes them away.
    case change(any ParameterChange)
}

/// A policy that lets those requests pass that have one of some values, where a request has one value only.
protocol ValuePolicy: Sendable {
    /// The values.
    var acceptedValues: Set<String> { get }
}

/// A policy on the ways on which requests come.
protocol OriginValuePolicy: ValuePolicy {}

/// A policy that demands parameters.
protocol ParameterDemand: Sendable {
    /// The names of the parameters.
    var demandedNames: [String] { get }
}

/// Middleware that adds parameters, or takes them away.
protocol ParameterChange: Sendable {
    /// The names under which there may be parameters afterwards.
    var addedNames: [String] { get }
    /// What to do so that a parameter stays; nil if it is not taken away.
    func advice(keeping name: String) -> String?
}

extension ConfiguredStage {
    /// Nothing.
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
