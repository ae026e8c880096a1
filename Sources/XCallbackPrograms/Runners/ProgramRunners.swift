/// The runner that a route chooses for its programs (`runner:`).
package enum RunnerName: String, CaseIterable, Sendable {
    /// Each program runs in a scope of the user's service manager, or in a unit of the program server.
    case unit
    /// The daemon runs programs itself.
    case spawn
}

/// The runners for the programs of a configuration.
package struct ProgramRunners: Sendable {
    /// Runs the programs of routes that choose no runner.
    private let usual: any ProgramRunner
    /// Runs each program in a scope or a unit of its own, or throws the reason why it cannot.
    private let unit: any ProgramRunner
    /// Runs each program as a child of the daemon.
    private let spawn: any ProgramRunner

    /// Creates the runners of a process that is not the daemon, and does not know which runners the daemon has.
    package init() {
        self.init(
            usual: ChildRunner(manner: nil), unit: ChildRunner(requiresScope: true))
    }

    /// Creates the runners of a daemon.
    ///
    /// - Parameters:
    ///   - usual: Runs the programs of routes that choose no runner.
    ///   - unit: Runs each program in a scope or a unit of its own.
    ///   - spawn: Runs each program as a child of the daemon.
    package init(usual: any ProgramRunner, unit: any ProgramRunner, spawn: any ProgramRunner = ChildRunner()) {
        self.usual = usual
        self.unit = unit
        self.spawn = spawn
    }

    /// The runner for a route.
    ///
    /// - Parameter name: The route's choice; nil for none.
    package subscript(_ name: RunnerName?) -> any ProgramRunner {
        switch name {
        case .unit: unit
        case .spawn: spawn
        case nil: usual
        }
    }
}
