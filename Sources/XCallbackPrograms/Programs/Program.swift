import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackPipeline
package import XCallbackURL

/// A program that a stage runs for requests: its arguments, its environment, and the request on standard input.
///
/// No shell is involved.
package struct Program: Sendable {
    private let arguments: [any ProgramArgument]
    private let environment: ProgramEnvironment
    /// The working directory, as an absolute path; nil for the daemon's.
    package let folder: [UInt8]?
    private let kinds: ParameterKinds
    /// The stage that runs it.
    package let stage: ProgramStage
    /// The runner that runs it.
    package let runner: any ProgramRunner
    /// Whether the route requires it to be a child of the daemon.
    package let isOwnChild: Bool
    private let limits: ProgramLimits
    private let log: ProgramLog

    /// Creates the program of a stage.
    ///
    /// - Parameters:
    ///   - arguments: The program, whose name is literal, and its arguments.
    ///   - environment: The environment.
    ///   - folder: The working directory, as an absolute path; nil for the daemon's.
    ///   - kinds: The declarations of the parameters, for standard input.
    ///   - stage: The stage that runs it.
    ///   - runner: The runner that runs it.
    ///   - isOwnChild: Whether the route requires it to be a child of the daemon.
    ///   - limits: The limits of the program.
    ///   - log: The log for events of the program.
    package init(
        _ arguments: [any ProgramArgument], _ environment: ProgramEnvironment, in folder: [UInt8]?,
        _ kinds: ParameterKinds, of stage: ProgramStage, runner: any ProgramRunner, isOwnChild: Bool,
        limits: ProgramLimits, log: ProgramLog
    ) {
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.kinds = kinds
        self.stage = stage
        self.runner = runner
        self.isOwnChild = isOwnChild
        self.limits = limits
        self.log = log
    }

    /// The command without a request; nil if an argument or a variable depends on one.
    package var literalCommand: ChildCommand? {
        let literals = arguments.compactMap(\.literal)
        guard literals.count == arguments.count, let variables = environment.literal else { return nil }
        return placed(ChildCommand(arguments: literals, environment: variables))
    }

    /// Runs the program until it exits.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keepsOutput: Whether its standard output is needed.
    ///   - limit: The time limit, if different from that of the request.
    /// - Returns: How the program ended.
    /// - Throws: ``CallbackError`` if the program cannot be run; `CancellationError`.
    package func run(for request: Request, keepsOutput: Bool, limit: Duration? = nil) async throws -> ChildResult {
        let loop = try EventLoop.ofProgram()
        let command = try command(for: request, keepsOutput: keepsOutput)
        let account = try await loop.takeProgram(for: request)
        do {
            let result = try await runner.run(
                PreparedProgram(
                    command, of: stage, for: request, within: await loop.quota(limits.quota, for: account),
                    limit: limit ?? usualLimit(of: request)),
                on: loop)
            await loop.give(.processes, of: account)
            return result
        } catch {
            await loop.give(.processes, of: account)
            if let error = error as? SystemError { throw failure(error, of: command, request, on: loop) }
            if let excess = error as? ChildQuota.Excess { throw CallbackError(excess) }
            throw error
        }
    }

    /// The longest time that a request can wait for the program.
    private func usualLimit(of request: Request) -> Duration {
        // A redirected request can have the time limit of the route that redirected it.
        request.isRedirected ? .seconds(86_400) : request.matchedRoute?.timeout ?? limits.time
    }

    /// Starts the program as a detached process.
    ///
    /// - Throws: ``CallbackError`` if the program cannot be started.
    package func start(for request: Request) async throws {
        let loop = try EventLoop.ofProgram()
        let command = try command(for: request, isDetached: true)
        let account = try await loop.takeProgram(for: request)
        do {
            try await runner.start(PreparedProgram(command, of: stage, for: request), on: loop) { [account] loop in
                loop.give(.processes, of: account)
            }
        } catch {
            await loop.give(.processes, of: account)
            if let error = error as? SystemError { throw failure(error, of: command, request, on: loop) }
            throw error
        }
    }

    /// Logs the end of the program if it failed or wrote to standard error.
    ///
    /// - Parameters:
    ///   - result: How the program ended.
    ///   - errors: The part of standard error to show; nil for all of it.
    ///   - isFailure: Whether the program failed.
    ///   - request: The request.
    ///   - loop: The loop of the caller.
    package func logEnd(
        _ result: ChildResult, errors: ArraySlice<UInt8>? = nil, isFailure: Bool = false, for request: Request,
        on loop: EventLoop?
    ) {
        log.end(
            of: name, result, errors: errors ?? result.errors[...], isFailure: isFailure, for: request, on: loop)
    }

    /// The name of the program in the configuration.
    private var name: String { String(decoding: arguments.first?.literal ?? [], as: UTF8.self) }

    /// Describes the command that would run, without starting it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - end: How the request goes on, as the end of a sentence.
    /// - Returns: The command, or the error of a request for which there is no command.
    package func plan(for request: Request, _ end: String) -> StagePlan {
        do throws(CallbackError) {
            let words = try command(for: request).arguments.map { String(decoding: $0, as: UTF8.self) }
            return StagePlan("would run \(runner.manner ?? "now"); \(end)", command: words)
        } catch {
            return StagePlan(response: .error(error))
        }
    }

    /// Makes the command for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keepsOutput: Whether its standard output is needed.
    ///   - isDetached: Whether the program is detached.
    /// - Returns: The command.
    /// - Throws: ``CallbackError`` if the request cannot be passed to a program.
    package func command(
        for request: Request, keepsOutput: Bool = false, isDetached: Bool = false
    ) throws(CallbackError) -> ChildCommand {
        var texts: [[UInt8]] = []
        for argument in arguments { texts.append(try argument.text(for: request)) }
        var input = [UInt8(ascii: "{")]
        request.appendMembers(kinds, to: &input)
        input += "}\n".utf8
        var command = placed(
            ChildCommand(arguments: texts, environment: try environment.variables(for: request), input: input))
        if keepsOutput { command.output = .kept(limit: limits.output) }
        command.isDetached = isDetached
        return command
    }

    /// Adds the properties that are the same for all requests to a command.
    private func placed(_ command: ChildCommand) -> ChildCommand {
        var command = command
        command.folder = folder
        command.chosenVariables = environment.chosenNames
        return command
    }

    private func failure(
        _ error: SystemError, of command: ChildCommand, _ request: Request, on loop: EventLoop
    ) -> CallbackError {
        if error.isExcessOfArguments { return CallbackError(.tooLarge, "The request is too large for a program.") }
        log.failure(
            "cannot start a program", ["program": "\(name)", "error": "\(error)"], cause: command.cause(of: error),
            for: request, on: loop)
        if error.isShortage {
            return CallbackError(.unavailable, "The system cannot run more programs at the moment.")
        }
        return .internalFailure
    }
}

/// The limits of a stage's program.
package struct ProgramLimits: Sendable {
    /// The maximum number that run at a time.
    let quota: ChildQuota
    /// The maximum number of output bytes.
    let output: Int
    /// The time limit if the route sets none.
    let time: Duration

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - quota: The maximum number that run at a time.
    ///   - output: The maximum number of output bytes.
    ///   - time: The time limit if the route sets none.
    package init(quota: ChildQuota, output: Int, time: Duration) {
        self.quota = quota
        self.output = output
        self.time = time
    }
}

extension EventLoop {
    /// Returns the loop of the caller; programs cannot run without a loop.
    ///
    /// - Throws: ``CallbackError`` if the caller does not run on a loop.
    package static func ofProgram(isolation: isolated (any Actor)? = #isolation) throws(CallbackError) -> EventLoop {
        guard let loop = current() else { throw CallbackError(.unavailable, "Programs run only in the daemon.") }
        return loop
    }

    /// Counts a program toward an account until ``give(_:of:)``.
    ///
    /// - Returns: The account.
    /// - Throws: ``CallbackError`` if too many programs run.
    fileprivate func takeProgram(for request: Request) throws(CallbackError) -> AccountName {
        let account = account(of: request.peer.userID, request.receivedOrigin.accountClass)
        do throws(Excess) {
            try account.take(.processes)
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
        return account.name
    }

    /// Returns the quota for the programs of an account.
    fileprivate func quota(_ quota: ChildQuota, for account: AccountName) -> ChildQuota {
        quota.shared(by: accounts[account.owner, account.kind])
    }

    /// Gives back one unit of a resource to an account.
    fileprivate func give(_ resource: Resource, of account: AccountName) {
        accounts[account.owner, account.kind].give(resource)
    }
}

extension CallbackError {
    /// Too many programs of a route are running.
    fileprivate init(_ excess: ChildQuota.Excess) {
        self.init(
            .tooMany,
            "\(excess.holder.hasReachedLimit): \(excess.limit) of \(excess.limit) running programs of this route "
                + "(limits: processes-per-route).")
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
