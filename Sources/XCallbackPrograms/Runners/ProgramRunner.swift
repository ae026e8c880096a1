package import XCallbackEventLoop
package import XCallbackRouter
import XCallbackURL

/// Runs the programs of stages: the event loop itself, or another process on its behalf.
///
/// All methods are called on the loop and must not block it.
package protocol ProgramRunner: Sendable {
    /// How it runs programs, as the end of a sentence that starts with "the program would run".
    ///
    /// Nil if that is unknown. Can be called from any thread.
    var manner: String? { get }

    /// Runs a program until it exits.
    ///
    /// If the task is cancelled, a program that has not started does not start. One that has is ended with all processes that
    /// it has started, unless it is detached: then it outlives the daemon. What a program leaves behind that ends by itself
    /// lives on, or ends with the unit of the program server.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - command: The program with its arguments, its environment and its standard input.
    ///   - request: The request for which it runs, or which needs it as a receiver.
    ///   - host: The host of the stage.
    ///   - loop: The loop of the caller.
    ///   - started: Called once it runs, if it is detached only after a moment; not called if it cannot be started.
    /// - Returns: How the program ended.
    /// - Throws: ``SystemError`` if the program cannot be started; ``CallbackError`` if it cannot be started for a reason that
    ///   the client may see; `CancellationError` if it is no longer needed, or if the daemon loses track of it.
    func run(
        _ program: Program, _ command: ChildCommand, for request: Request, _ host: any StageHost,
        on loop: isolated EventLoop, started: @escaping @Sendable () -> Void
    ) async throws -> ChildResult
}

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
    /// The loop on which programs run; nil in a process that runs none.
    unowned let loop: EventLoop?

    /// Creates runners; by default those of a process that does not know which runners the daemon has.
    ///
    /// - Parameters:
    ///   - usual: Runs the programs of routes that choose no runner.
    ///   - unit: Runs each program in a scope or a unit of its own.
    ///   - spawn: Runs each program as a child of the daemon.
    ///   - loop: The loop on which programs run; nil in a process that runs none.
    package init(
        usual: any ProgramRunner = ChildRunner(manner: nil), unit: any ProgramRunner = ChildRunner(requiresScope: true),
        spawn: any ProgramRunner = ChildRunner(), on loop: EventLoop? = nil
    ) {
        (self.usual, self.unit, self.spawn, self.loop) = (usual, unit, spawn, loop)
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
