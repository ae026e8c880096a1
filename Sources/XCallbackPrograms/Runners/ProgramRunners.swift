/// The word by which a route says what runs its programs (`runner:`).
package enum RunnerName: String, CaseIterable, Sendable {
    /// A unit of its own for each program, under the user's service manager.
    case unit
    /// The daemon itself.
    case spawn
}

/// What there is to run the programs of a configuration.
package struct ProgramRunners: Sendable {
    /// Runs the programs of routes that do not say what runs them.
    private let usual: any ProgramRunner
    /// Runs programs in units of their own, or says why it cannot.
    private let unit: any ProgramRunner

    /// The runners where there is nothing but the process itself, or a daemon of which nothing is known.
    package init() {
        self.init(
            usual: ChildRunner(manner: nil), unit: ChildRunner(manner: "in a unit of the user's service manager"))
    }

    /// Creates the runners of a daemon.
    ///
    /// - Parameters:
    ///   - usual: Runs the programs of routes that do not say what runs them.
    ///   - unit: Runs programs in units of their own.
    package init(usual: any ProgramRunner, unit: any ProgramRunner) {
        self.usual = usual
        self.unit = unit
    }

    /// The runner for a route.
    ///
    /// - Parameter name: What the route says; nil if it says nothing.
    package subscript(_ name: RunnerName?) -> any ProgramRunner {
        switch name {
        case .unit: unit
        case .spawn: ChildRunner()
        case nil: usual
        }
    }
}
