package import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackRouter
package import XCallbackURL
import XCallbackWire

/// A program that a stage runs for requests: its arguments, its environment, and the request on standard input.
///
/// No shell is involved.
package struct Program: Sendable {
    /// What a stage does with a program.
    package enum Use: Hashable, Sendable {
        /// It waits for the status of the program.
        case status
        /// It waits for the status, and reads the output.
        case output
        /// It starts the program as a detached process, and watches it for a moment.
        case detached
        /// It starts the program to receive requests under a name, not for a single request.
        case receiver(name: String)
    }

    private let arguments: [ProgramText]
    private let environment: ProgramEnvironment
    /// The working directory, as an absolute path; nil for the daemon's.
    package var folder: [UInt8]?
    /// The declarations of the parameters that it reads.
    package var kinds = ParameterKinds()
    /// The maximum number of bytes of its output.
    package var outputLimit = 0
    /// The stage that runs it.
    package let stage: ProgramStage
    /// What the stage does with it.
    package let use: Use
    private let runner: any ProgramRunner
    /// The loop on which it runs; nil in a process that runs no programs.
    private unowned let loop: EventLoop?
    /// The maximum number that run at a time for each route.
    fileprivate let limit: Int
    /// The log for events of the program.
    package let log: ProgramLog

    /// Creates a program.
    package init(
        _ arguments: [ProgramText], _ environment: ProgramEnvironment, of stage: ProgramStage, for use: Use,
        runners: ProgramRunners, _ runner: RunnerName?, atMost limit: Int, logger: Logger
    ) {
        (self.arguments, self.environment, self.stage, self.use) = (arguments, environment, stage, use)
        (self.runner, loop) = (runners[runner], runners.loop)
        self.limit = limit
        log = ProgramLog(logger: logger)
    }

    /// Whether it is started to receive.
    package var isReceiver: Bool { if case .receiver = use { true } else { false } }

    /// The name of the program in the configuration.
    private var name: String { String(decoding: arguments.first?.literal ?? [], as: UTF8.self) }
}

/// A text of a program's command, which is made for each request.
package struct ProgramText: Sendable {
    /// The text, if it is the same for all requests.
    let literal: [UInt8]?
    /// Returns the text for a request.
    let text: @Sendable (Request) throws(CallbackError) -> [UInt8]

    /// Creates a text.
    package init(literal: [UInt8]?, _ text: @escaping @Sendable (Request) throws(CallbackError) -> [UInt8]) {
        self.literal = literal
        self.text = text
    }
}

/// The place of a program in the configuration: the stage of a route, which is that of the request.
package struct ProgramStage: Sendable {
    /// The kind of stage.
    package enum Kind: String, Sendable {
        case middleware, policy, handler
    }

    /// The kind of the stage.
    package let kind: Kind
    /// The index among the route's stages of the same kind; 0 for a handler.
    package let position: Int
    /// The paths of the drop-ins of the configuration.
    let files: [String]
    /// Whether the route requires its programs to be children of the daemon.
    package let isOwnChild: Bool

    /// Creates the place of a program.
    package init(kind: Kind, position: Int, files: [String], isOwnChild: Bool) {
        (self.kind, self.position, self.files, self.isOwnChild) = (kind, position, files, isOwnChild)
    }
}

// MARK: - Commands

extension Program {
    /// Makes the command for a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The command.
    /// - Throws: ``CallbackError`` if the request cannot be passed to a program.
    package func command(for request: Request) throws(CallbackError) -> ChildCommand {
        var texts: [[UInt8]] = []
        for argument in arguments { texts.append(try argument.text(request)) }
        let input = JSONValue.object(request.members(kinds)).bytes + [UInt8(ascii: "\n")]
        var command = placed(
            ChildCommand(arguments: texts, environment: try environment.variables(for: request), input: input))
        if use == .output { command.output = .kept(limit: outputLimit) }
        command.isDetached = use == .detached
        command.reportsProgress =
            stage.kind == .handler && !command.isDetached
            && request.matchedRoute?.stages.settings.reportsProgress == true
        return command
    }

    /// Makes the command that starts a receiver.
    ///
    /// - Parameter socket: The socket of the daemon.
    /// - Returns: The command; nil if the program is no receiver, or if its texts depend on a request.
    package func receiverCommand(at socket: String) -> ChildCommand? {
        let literals = arguments.compactMap(\.literal)
        guard case .receiver(let name) = use, literals.count == arguments.count, let variables = environment.literal
        else { return nil }
        let own = ["XCALLBACK_NAME=\(name)", "XCALLBACK_SOCKET=\(socket)"].map { Array($0.utf8) }
        var command = placed(ChildCommand(arguments: literals, environment: variables + own))
        command.isDetached = true
        return command
    }

    /// Adds the properties that are the same for all requests to a command.
    private func placed(_ command: ChildCommand) -> ChildCommand {
        var command = command
        command.folder = folder
        command.chosenVariables = environment.chosenNames
        return command
    }

    /// Describes the command that would run, without starting it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - end: How the request goes on, as the end of a sentence.
    /// - Returns: The command, or the error of a request for which there is no command.
    package func plan(for request: Request, _ end: String) -> StagePlan {
        do throws(CallbackError) {
            let words = try command(for: request).words
            return StagePlan("would run \(runner.manner ?? "now"); \(end)", command: words)
        } catch {
            return StagePlan(response: .error(error))
        }
    }
}

extension ChildCommand {
    /// The program and its arguments as texts.
    package var words: [String] { arguments.map { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - Running

extension Program {
    /// Runs the program until it exits.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - host: The host of the stage.
    /// - Returns: How the program ended.
    /// - Throws: ``CallbackError`` if the program cannot be run; `CancellationError`.
    package func run(for request: Request, _ host: any StageHost) async throws -> ChildResult {
        try await run(for: request, host, on: eventLoop()) {}
    }

    /// Starts the program as a detached process, and watches it for a moment.
    ///
    /// - Returns: How the program ended; nil if it runs on.
    /// - Throws: ``CallbackError`` if the program cannot be started.
    package func start(for request: Request, _ host: any StageHost) async throws -> ChildResult? {
        let loop = try eventLoop()
        return try await detach(for: request, host, on: loop) { started in
            try await run(for: request, host, on: loop, started: started)
        }
    }

    /// Returns the loop on which programs run.
    private func eventLoop() throws(CallbackError) -> EventLoop {
        guard let loop else { throw CallbackError(.unavailable, "Programs run only in the daemon.") }
        return loop
    }

    /// Runs the program, which counts meanwhile.
    private func run(
        for request: Request, _ host: any StageHost, on loop: EventLoop, started: @escaping @Sendable () -> Void
    ) async throws -> ChildResult {
        let command = reporting(try command(for: request), for: request, host)
        do {
            return try await loop.counting(self, for: request) { loop in
                try await runner.run(self, command, for: request, host, on: loop, started: started)
            }
        } catch {
            throw visible(error, of: command, request, host)
        }
    }

    /// Starts a program that is expected to receive.
    ///
    /// - Parameters:
    ///   - request: The request that needs the receiver.
    ///   - socket: The socket of the daemon.
    ///   - host: The host of the stage.
    /// - Throws: Any error if the program cannot be started, or fails in the first moment.
    package func startReceiver(for request: Request, at socket: String, _ host: any StageHost) async throws {
        let loop = try eventLoop()
        guard let command = receiverCommand(at: socket).map({ reporting($0, for: request, host) }) else { return }
        do {
            let result = try await detach(for: request, host, on: loop) { started in
                try await runner.run(self, command, for: request, host, on: loop, started: started)
            }
            guard let result, result.ending != .exited(status: 0) else { return }
            logEnd(result, isFailure: true, for: request, host)
            throw ProgramFailure("it ended with status \(result.ending.status)")
        } catch let error as SystemError {
            throw ProgramFailure(command.cause(of: error))
        }
    }

    /// Runs a detached program in a task of its own, and watches it for a moment.
    ///
    /// - Returns: How it ended; nil if it runs on.
    private func detach(
        for request: Request, _ host: any StageHost, on loop: EventLoop,
        _ run: @escaping @Sendable (@escaping @Sendable () -> Void) async throws -> ChildResult
    ) async throws -> ChildResult? {
        let (outcomes, outcome) = AsyncThrowingStream<ChildResult?, any Error>.makeStream()
        let task = Task.immediate(executorPreference: loop.executor) {
            do {
                let result = try await run { outcome.yield(nil) }
                guard case .terminated = outcome.yield(result) else { return }
                // Nobody waits for it any more; this task may be cancelled, as if it had ended with its request.
                Task.immediate(executorPreference: loop.executor) {
                    logEnd(result, isFailure: result.ending != .exited(status: 0), for: request, host)
                }
            } catch {
                outcome.finish(throwing: error)
            }
        }
        return try await withTaskCancellationHandler {
            for try await result in outcomes { return result }
            throw CancellationError()
        } onCancel: {
            task.cancel()
        }
    }

    /// Adds to a command what is known of its route, for what the program leaves behind, and how it reports its progress.
    private func reporting(_ command: ChildCommand, for request: Request, _ host: any StageHost) -> ChildCommand {
        var command = command
        command.title = request.route
        command.report = { log.errors($0, of: name, for: request, host) }
        if command.reportsProgress {
            command.progress = { host.report(RequestProgress(line: $0), of: request) }
        }
        return command
    }

    /// Logs the end of the program if it failed or wrote to standard error.
    ///
    /// - Parameters:
    ///   - result: How the program ended.
    ///   - errors: The part of standard error to show; nil for all of it.
    ///   - isFailure: Whether the program failed.
    ///   - request: The request.
    ///   - host: The host of the stage.
    package func logEnd(
        _ result: ChildResult, errors: ArraySlice<UInt8>? = nil, isFailure: Bool = false, for request: Request,
        _ host: any StageHost
    ) {
        log.end(of: name, result, errors: errors ?? result.errors[...], isFailure: isFailure, for: request, host)
    }

    /// Returns the form of an error that the stage handles: one that the client may see, if there is one.
    private func visible(
        _ error: any Error, of command: ChildCommand, _ request: Request, _ host: any StageHost
    ) -> any Error {
        guard let error = error as? SystemError else { return error }
        if error.isExcessOfArguments { return CallbackError(.tooLarge, "The request is too large for a program.") }
        log.failure(
            "cannot start a program", ["program": "\(name)", "error": "\(error)"], cause: command.cause(of: error),
            for: request, host)
        if error.isShortage {
            return CallbackError(.unavailable, "The system cannot run more programs at the moment.")
        }
        return CallbackError.internalFailure
    }
}

extension EventLoop {
    /// Counts a program toward the account of its request while a function runs it, and what it leaves behind until it is gone.
    ///
    /// - Throws: ``CallbackError`` if too many programs run, and what the function throws.
    fileprivate func counting(
        _ program: Program, for request: Request,
        _ body: @Sendable (isolated EventLoop) async throws -> ChildResult
    ) async throws -> ChildResult {
        let account = account(of: request.peer.userID, request.receivedOrigin.accountClass)
        do throws(Excess) {
            try account.take(.processes)
        } catch {
            let count = leftBehind(for: account).count
            let left = count > 0 ? " Ended programs have left \(count) of them: see 'xcallback status'." : ""
            throw CallbackError(.tooMany, error.description + left)
        }
        var isLeft = false
        defer { if !isLeft { account.give(.processes) } }
        let result = try await counting(program, for: request, by: account, body)
        if let left = result.left { isLeft = count(left, toward: account) }
        return result
    }

    /// Counts a program toward its route while a function runs it, if it is not detached.
    private func counting(
        _ program: Program, for request: Request, by account: Account,
        _ body: @Sendable (isolated EventLoop) async throws -> ChildResult
    ) async throws -> ChildResult {
        if program.use == .detached { return try await body(self) }
        let route = request.matchedRoute?.identity ?? ""
        do throws(ChildExcess) {
            try takeProgram(of: route, atMost: program.limit, by: account)
        } catch {
            throw CallbackError(error)
        }
        defer { giveProgram(of: route, by: account) }
        return try await body(self)
    }
}

extension Origin {
    /// The class of account toward which requests of this origin count.
    package var accountClass: AccountClass {
        switch self {
        case .desktop: .desktop
        case .agent: .agent
        case .socket, .internal: .socket
        }
    }
}

extension CallbackError {
    /// Too many programs of a route are running.
    fileprivate init(_ excess: ChildExcess) {
        self.init(
            .tooMany,
            "\(excess.holder.hasReachedLimit): \(excess.limit) of \(excess.limit) running programs of this route "
                + "(limits: processes-per-route).")
    }
}

extension Program {
    /// The maximum length of an argument or an environment variable: the kernel's limit (`MAX_ARG_STRLEN`) without the
    /// terminating NUL.
    private static let textLimit = 131_071

    /// Checks that a text can be passed to a program, and returns it.
    ///
    /// - Throws: ``CallbackError`` naming the subject if the text contains a NUL or is too long.
    package static func checked(_ text: [UInt8], of subject: String) throws(CallbackError) -> [UInt8] {
        if text.contains(0) { throw CallbackError(.badParameter, "\(subject) must not hold a NUL.") }
        guard text.count <= textLimit else {
            throw CallbackError(.tooLarge, "\(subject) is too long for a program: the limit is \(textLimit) bytes.")
        }
        return text
    }
}
