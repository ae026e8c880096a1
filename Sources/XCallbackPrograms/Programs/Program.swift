import Glibc
import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackPipeline
package import XCallbackURL

/// A program that a stage runs for requests: its arguments, its environment, and the request as what it reads.
///
/// There is no shell.
package struct Program: Sendable {
    private let arguments: [any ProgramArgument]
    private let environment: ProgramEnvironment
    /// The folder in which it runs, from `/` on; the daemon's if it is nil.
    package let folder: [UInt8]?
    private let kinds: ParameterKinds
    /// The stage that runs it.
    package let stage: ProgramStage
    /// What runs it.
    package let runner: any ProgramRunner
    /// Whether the route wants it to be the daemon's own child.
    package let isOwnChild: Bool
    private let limits: ProgramLimits
    private let log: ProgramLog

    /// Creates the program of a stage.
    ///
    /// - Parameters:
    ///   - arguments: The program, whose name is literal, and its arguments.
    ///   - environment: Its environment.
    ///   - folder: The folder in which it runs, from `/` on; nil for the daemon's.
    ///   - kinds: What is known of the parameters, for what it reads.
    ///   - stage: The stage that runs it.
    ///   - runner: What runs it.
    ///   - isOwnChild: Whether the route wants it to be the daemon's own child.
    ///   - limits: How much of it there may be.
    ///   - log: What the log hears of it.
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

    /// The command without a request; nil if an argument or a variable comes from one.
    package var literalCommand: ChildCommand? {
        let literals = arguments.compactMap(\.literal)
        guard literals.count == arguments.count, let variables = environment.literal else { return nil }
        return placed(ChildCommand(arguments: literals, environment: variables))
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - request: What it is run for.
    ///   - keepsOutput: Whether its standard output is wanted.
    ///   - limit: How long it may take, if that is not the time of the request.
    /// - Returns: How it has ended.
    /// - Throws: ``CallbackError`` if it cannot be run, or `CancellationError`.
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
            if let error = error as? SystemError { throw failure(error, request, on: loop) }
            if let excess = error as? ChildQuota.Excess { throw CallbackError(excess) }
            throw error
        }
    }

    /// How long a request can wait for the program at most.
    private func usualLimit(of request: Request) -> Duration {
        // The time may be that of the route which has redirected it.
        request.isRedirected ? .seconds(86_400) : request.matchedRoute?.timeout ?? limits.time
    }

    /// Starts the program, and lets it live on its own.
    ///
    /// - Throws: ``CallbackError`` if it cannot be started.
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
            if let error = error as? SystemError { throw failure(error, request, on: loop) }
            throw error
        }
    }

    /// Logs how the program has ended, if it has failed or has written to standard error.
    ///
    /// - Parameters:
    ///   - result: How it has ended.
    ///   - errors: What is to be shown of its standard error; all of it without this.
    ///   - isFailure: Whether it has failed.
    ///   - request: What it was run for.
    ///   - loop: The loop on which the caller runs.
    package func logEnd(
        _ result: ChildResult, errors: ArraySlice<UInt8>? = nil, isFailure: Bool = false, for request: Request,
        on loop: EventLoop?
    ) {
        log.end(
            of: name, result, errors: errors ?? result.errors[...], isFailure: isFailure, for: request, on: loop)
    }

    /// The program, as the configuration names it.
    private var name: String { String(decoding: arguments.first?.literal ?? [], as: UTF8.self) }

    /// Tells what would run, and starts nothing.
    ///
    /// - Parameters:
    ///   - request: What it would be run for.
    ///   - note: What would become of the request then.
    /// - Returns: The command, or the error of a request that no command can be made of.
    package func rehearse(_ request: Request, _ note: String) -> Rehearsal {
        do throws(CallbackError) {
            let words = try command(for: request).arguments.map { String(decoding: $0, as: UTF8.self) }
            let manner = runner.manner.map { "the program would run \($0)" }
            return Rehearsal(.open, notes: [note] + (manner.map { [$0] } ?? []), command: words)
        } catch {
            return Rehearsal(.ends(.error(error)))
        }
    }

    /// Makes the command for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keepsOutput: Whether its standard output is wanted.
    ///   - isDetached: Whether it lives on its own.
    /// - Returns: The command.
    /// - Throws: ``CallbackError`` if the request cannot be handed to a program.
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

    /// A command with what is the same for all requests.
    private func placed(_ command: ChildCommand) -> ChildCommand {
        var command = command
        command.folder = folder
        command.chosenVariables = environment.chosenNames
        return command
    }

    private func failure(_ error: SystemError, _ request: Request, on loop: EventLoop) -> CallbackError {
        if error.isExcessOfArguments { return CallbackError(.tooLarge, "The request is too large for a program.") }
        log.failure(
            "cannot start a program", ["program": "\(name)", "error": "\(error)"], cause: cause(of: error),
            for: request, on: loop)
        if error.isShortage {
            return CallbackError(.unavailable, "The system cannot run more programs at the moment.")
        }
        return .internalFailure
    }

    /// Why the program cannot be started, for those who may see the log.
    private func cause(of error: SystemError) -> String {
        if let folder, error.call.hasPrefix("chdir") {
            let path = String(decoding: folder, as: UTF8.self)
            return "the program '\(name)' cannot be started in \(path): \(systemMessage(error.code))"
        }
        if error.code == ENOENT, !name.utf8.contains(UInt8(ascii: "/")) {
            return "program '\(name)' not found in the daemon's PATH, \(ProgramFolders())"
        }
        return "the program '\(name)' cannot be started: \(error)"
    }
}

/// How much of the program of a stage there may be.
package struct ProgramLimits: Sendable {
    /// How many may run at a time.
    let quota: ChildQuota
    /// How many bytes of its output are taken.
    let output: Int
    /// How long it may take if its route does not say it.
    let time: Duration

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - quota: How many may run at a time.
    ///   - output: How many bytes of its output are taken.
    ///   - time: How long it may take if its route does not say it.
    package init(quota: ChildQuota, output: Int, time: Duration) {
        self.quota = quota
        self.output = output
        self.time = time
    }
}

extension EventLoop {
    /// The loop on which the caller runs: without one nothing looks after a program.
    ///
    /// - Throws: ``CallbackError`` if the caller does not run on a loop.
    package static func ofProgram(isolation: isolated (any Actor)? = #isolation) throws(CallbackError) -> EventLoop {
        guard let loop = current() else { throw CallbackError(.unavailable, "Programs run only in the daemon.") }
        return loop
    }

    /// Counts a program that is run for a request, until it is given back.
    ///
    /// - Returns: Whose it is.
    /// - Throws: ``CallbackError`` if too many run.
    fileprivate func takeProgram(for request: Request) throws(CallbackError) -> AccountName {
        let account = account(of: request.peer.userID, request.receivedOrigin.accountClass)
        do throws(Excess) {
            try account.take(.processes)
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
        return account.name
    }

    /// The quota for the programs of an account.
    fileprivate func quota(_ quota: ChildQuota, for account: AccountName) -> ChildQuota {
        quota.shared(by: accounts[account])
    }

    /// No longer counts one of what an account has taken.
    fileprivate func give(_ resource: Resource, of account: AccountName) {
        accounts[account].give(resource)
    }
}

extension CallbackError {
    /// Too many programs of a route run.
    fileprivate init(_ excess: ChildQuota.Excess) {
        self.init(
            .tooMany,
            "\(AccountName.reachedLimit(excess.account)): \(excess.limit) of \(excess.limit) running programs of this route "
                + "(limits: processes-per-route).")
    }
}

extension Origin {
    /// The class of the account that requests of the origin are counted with.
    package var accountClass: AccountClass {
        switch self {
        case .desktop: .desktop
        case .agent: .agent
        case .socket, .internal: .socket
        }
    }
}
