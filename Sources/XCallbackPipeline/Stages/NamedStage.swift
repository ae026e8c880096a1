/// A stage with the name that the configuration gives it.
package struct NamedStage<Stage: Sendable>: Sendable {
    /// The stage.
    package let stage: Stage
    /// What the configuration calls it; empty for a stage of a program.
    package let name: String
    /// What the rest of the configuration must know of it.
    package let traits: StageTraits

    /// Creates a stage.
    package init(_ stage: Stage, name: String = "", traits: StageTraits = StageTraits()) {
        self.stage = stage
        self.name = name
        self.traits = traits
    }

    /// The name and the traits with another form of the stage.
    package func with<Other>(_ stage: Other) -> NamedStage<Other> {
        NamedStage<Other>(stage, name: name, traits: traits)
    }
}

/// What the rest of a configuration must know of a stage.
package struct StageTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    // Set literals are made by generic code, whose first use costs a start 150,000 instructions.
    /// Creates none.
    package init() {
        self.init(rawValue: 0)
    }

    /// Creates traits from their bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The stage runs a program for each request.
    package static let runsProgram = Self(rawValue: 1 << 0)
    /// The policy judges nothing but the client itself, so that it can also decide which clients may receive.
    package static let judgesClient = Self(rawValue: 1 << 1)
    /// The policy judges only the user, in whose name the desktop also passes on the URLs of web pages.
    package static let judgesOnlyUser = Self(rawValue: 1 << 2)
    /// Both of the above.
    package static let judgesClientByUser = Self(rawValue: judgesClient.rawValue | judgesOnlyUser.rawValue)
    /// Clients receive what the handler gives them, under the name that is its setting.
    package static let hasReceivers = Self(rawValue: 1 << 3)
    /// The handler sends requests to another URL.
    package static let redirects = Self(rawValue: 1 << 4)
}
