/// A stage with its name in the configuration.
package struct NamedStage<Stage: Sendable>: Sendable {
    /// The stage.
    package let stage: Stage
    /// The stage's name in the configuration; empty for a stage that a program defines.
    package let name: String
    /// The properties that matter to the rest of the configuration.
    package let traits: StageTraits

    /// Creates a stage.
    package init(_ stage: Stage, name: String = "", traits: StageTraits = []) {
        self.stage = stage
        self.name = name
        self.traits = traits
    }

    /// Returns another form of the stage with the same name and traits.
    package func with<Other>(_ stage: Other) -> NamedStage<Other> {
        NamedStage<Other>(stage, name: name, traits: traits)
    }
}

/// The properties of a stage that matter to the rest of the configuration.
package struct StageTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    /// Creates traits from their bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The stage runs a program for each request.
    package static let runsProgram = Self(rawValue: 1 << 0)
    /// The policy checks only the client itself, so that it can also decide which clients may receive.
    package static let judgesClient = Self(rawValue: 1 << 1)
    /// The policy checks only the user, in whose name the desktop also passes on the URLs of web pages.
    package static let judgesOnlyUser = Self(rawValue: 1 << 2)
    /// Both of the above.
    package static let judgesClientByUser: Self = [judgesClient, judgesOnlyUser]
    /// The handler passes requests to clients that receive under the name in its setting.
    package static let hasReceivers = Self(rawValue: 1 << 3)
    /// The handler sends requests to another URL.
    package static let redirects = Self(rawValue: 1 << 4)
}
