package import XCallbackEventLoop
package import XCallbackPipeline

/// What runs the programs that stages name: the loop itself, or something that does so in its stead.
///
/// All of it is called on the loop, and nothing of it may keep the loop waiting.
package protocol ProgramRunner: Sendable {
    /// How it runs programs, for people who ask what would become of a request: what follows "the program would run".
    ///
    /// Nil if that is not known. Every thread may ask.
    var manner: String? { get }

    /// Runs a program to its end.
    ///
    /// The program, and whatever it has started, is ended when the task is cancelled.
    ///
    /// - Parameters:
    ///   - program: The program; not a detached one.
    ///   - loop: The loop on which the caller runs.
    /// - Returns: How it has ended.
    /// - Throws: ``ChildQuota/Excess`` if too many run, ``SystemError`` if it cannot be started, ``CallbackError`` if
    ///   it cannot for a reason that the client may know, `CancellationError` if nobody wants it any more.
    func run(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult

    /// Starts a program that lives on its own, and outlives the daemon.
    ///
    /// - Parameters:
    ///   - program: The program; a detached one.
    ///   - loop: The loop on which the caller runs.
    ///   - ended: Called once it has ended, or from when on the daemon does not know of it any more; not if it cannot be
    ///     started.
    /// - Throws: ``SystemError`` or ``CallbackError`` if it cannot be started.
    func start(
        _ program: PreparedProgram, on loop: EventLoop, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws
}

/// A program that can be run: what it is given, and where the configuration names it.
package struct PreparedProgram: Sendable {
    /// The program with its arguments, its environment and what it reads: the request as JSON.
    package var command: ChildCommand
    /// Where the configuration names it.
    package let stage: ProgramStage
    /// The request that it is run for, or that needs it to receive.
    ///
    /// A runner that makes the command itself, from a configuration that it reads itself, takes nothing but this and
    /// the stage.
    package let request: Request
    /// Whether it is started to receive.
    package let isReceiver: Bool
    /// How many may run at a time.
    package let quota: ChildQuota?
    /// How long it may take at most, for a runner that goes on without the daemon; nil for one that lives on its own.
    package let limit: Duration?

    package init(
        _ command: ChildCommand, of stage: ProgramStage, for request: Request, isReceiver: Bool = false,
        within quota: ChildQuota? = nil, limit: Duration? = nil
    ) {
        self.command = command
        self.stage = stage
        self.request = request
        self.isReceiver = isReceiver
        self.quota = quota
        self.limit = limit
    }
}

/// Where a configuration names a program: the stage, and the route that it belongs to.
package struct ProgramStage: Hashable, Sendable {
    /// What the stage is to its route.
    package enum Kind: String, Sendable {
        case middleware, policy, handler
    }

    /// What the stage is.
    package let kind: Kind
    /// Its position among the stages of its kind that the route has; 0 for a handler.
    package let position: Int
    /// What tells the route from the others of the configuration (``Route/identity``).
    package let route: String
    /// The route's scheme and pattern, which may be shown: they hold no values.
    package let routeName: String

    /// Creates the place.
    ///
    /// - Parameters:
    ///   - kind: What the stage is to its route.
    ///   - position: Its position among the stages of its kind.
    ///   - route: What tells the route from the others.
    ///   - routeName: The route's scheme and pattern.
    package init(kind: Kind, position: Int, route: String, routeName: String) {
        self.kind = kind
        self.position = position
        self.route = route
        self.routeName = routeName
    }
}

/// Runs programs as children of the daemon.
package struct ChildRunner: ProgramRunner {
    package let manner: String?

    /// Creates a runner.
    package init(manner: String? = "as a child of the daemon") {
        self.manner = manner
    }

    package func run(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult {
        try await loop.run(program.command, within: program.quota)
    }

    package func start(
        _ program: PreparedProgram, on loop: EventLoop, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        try await loop.start(program.command, ended: ended)
    }
}
