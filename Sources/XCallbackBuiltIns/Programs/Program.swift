import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// A program that a stage runs for requests: its arguments, its environment, and the request as what it reads.
///
/// There is no shell.
struct Program: Sendable {
    private let arguments: [ArgumentTemplate]
    private let environment: ProgramEnvironment
    private let kinds: ParameterKinds
    /// The stage that runs it.
    let stage: ProgramStage
    /// What runs it.
    let runner: any ProgramRunner
    /// Whether the route wants it to be the daemon's own child.
    let isOwnChild: Bool
    private let quota: ChildQuota
    private let limits: Limits
    private let log: ProgramLog

    /// Decodes a program and its arguments.
    ///
    /// - Parameters:
    ///   - node: The list of them.
    ///   - source: The stage that runs it.
    ///   - readsInput: Whether the declared parameters are decoded by then; else they are not what is declared yet.
    init?(_ node: Node?, _ source: StageSource, readsInput: Bool = true) {
        guard let node, case .sequence(let elements) = node.content else {
            let found = node.map { ", found \($0.found)" } ?? ""
            source.faults.report(
                "expected a list of a program and its arguments, such as [notes, add, --, \"{text}\"]\(found)",
                at: node?.place ?? source.place)
            return nil
        }
        var arguments: [ArgumentTemplate] = []
        var isOperand = false
        for element in elements {
            guard let argument = ArgumentTemplate(element, isOperand: isOperand, readsInput: readsInput, source)
            else { continue }
            arguments.append(argument)
            if argument.literal == Array("--".utf8) { isOperand = true }
        }
        self.arguments = arguments
        environment = ProgramEnvironment(source, at: node.place, readsInput: readsInput)
        kinds = readsInput ? ParameterKinds(source.route) : ParameterKinds()
        limits = source.surroundings.limits
        stage = source.programStage
        runner = source.surroundings.runners[source.route.runner]
        isOwnChild = source.route.runner == .spawn
        quota = ChildQuota(
            group: stage.route, groupLimit: limits.processesPerRoute, totalLimit: limits.processes)
        log = ProgramLog(source)
        guard arguments.count == elements.count else { return nil }
        checkName(node, source)
        InterpreterRule(arguments).check(source.faults)
    }

    /// Reports a program that is not named plainly.
    private func checkName(_ node: Node, _ source: StageSource) {
        guard let first = arguments.first else {
            return source.faults.report("expected a program and its arguments, found an empty list", at: node.place)
        }
        guard let name = first.literal else {
            return source.faults.report("the program cannot come from a request: write its name", at: first.place)
        }
        if name.isEmpty || (name.contains(UInt8(ascii: "/")) && name.first != UInt8(ascii: "/")) {
            source.faults.report("expected the name of a program, or its path from '/' on", at: first.place)
        } else {
            source.surroundings.programs.check(String(decoding: name, as: UTF8.self), at: first.place, source.faults)
        }
    }

    /// The program and its arguments, if none of them comes from a request.
    var literalArguments: [[UInt8]]? {
        let literals = arguments.compactMap(\.literal)
        return literals.count == arguments.count ? literals : nil
    }

    /// What of the daemon's environment programs get.
    var inheritedEnvironment: [[UInt8]] { environment.base }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - request: What it is run for.
    ///   - keepsOutput: Whether its standard output is wanted.
    ///   - limit: How long it may take, if that is not the time of the request.
    /// - Returns: How it has ended.
    /// - Throws: ``CallbackError`` if it cannot be run, or `CancellationError`.
    func run(for request: Request, keepsOutput: Bool, limit: Duration? = nil) async throws -> ChildResult {
        let loop = try EventLoop.ofProgram()
        let command = try command(for: request, keepsOutput: keepsOutput)
        do {
            return try await runner.run(
                PreparedProgram(
                    command, of: stage, for: request, within: quota, limit: limit ?? usualLimit(of: request)),
                on: loop)
        } catch let error as SystemError {
            throw failure(error)
        } catch let excess as ChildQuota.Excess {
            throw refusal(excess)
        }
    }

    /// How long a request can wait for the program at most.
    private func usualLimit(of request: Request) -> Duration {
        // The time may be that of the route which has redirected it.
        request.isRedirected ? .seconds(86_400) : request.matchedRoute?.timeout ?? limits.handlerTime
    }

    /// Starts the program, and lets it live on its own.
    ///
    /// - Throws: ``CallbackError`` if it cannot be started.
    func start(for request: Request) async throws {
        let loop = try EventLoop.ofProgram()
        let command = try command(for: request, isDetached: true)
        do {
            try await runner.start(PreparedProgram(command, of: stage, for: request), on: loop)
        } catch let error as SystemError {
            throw failure(error)
        }
    }

    /// Tells what would run, and starts nothing.
    ///
    /// - Parameters:
    ///   - request: What it would be run for.
    ///   - note: What would become of the request then.
    /// - Returns: The command, or the error of a request that no command can be made of.
    func rehearse(_ request: Request, _ note: String) -> Rehearsal {
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
    func command(
        for request: Request, keepsOutput: Bool = false, isDetached: Bool = false
    ) throws(CallbackError) -> ChildCommand {
        var texts: [[UInt8]] = []
        for argument in arguments { texts.append(try argument.text(for: request)) }
        var input = [UInt8(ascii: "{")]
        request.appendMembers(kinds, to: &input)
        input += "}\n".utf8
        var command = ChildCommand(
            arguments: texts, environment: try environment.variables(for: request), input: input)
        if keepsOutput { command.output = .kept(limit: limits.output) }
        command.isDetached = isDetached
        return command
    }

    private func refusal(_ excess: ChildQuota.Excess) -> CallbackError {
        switch excess {
        case .group:
            CallbackError(
                .tooMany,
                "The programs of this route that run are as many as may: \(limits.processesPerRoute) "
                    + "(limits: processes-per-route).")
        case .all:
            CallbackError(
                .tooMany, "The programs that run are as many as may: \(limits.processes) (limits: processes).")
        }
    }

    private func failure(_ error: SystemError) -> CallbackError {
        if error.isExcessOfArguments { return CallbackError(.tooLarge, "The request is too large for a program.") }
        let name = String(decoding: arguments.first?.literal ?? [], as: UTF8.self)
        log.failure("cannot start a program", ["program": "\(name)", "error": "\(error)"])
        if error.isShortage {
            return CallbackError(.unavailable, "The system cannot run more programs at the moment.")
        }
        return .internalFailure
    }
}

extension EventLoop {
    /// The loop on which the caller runs: without one nothing looks after a program.
    ///
    /// - Throws: ``CallbackError`` if the caller does not run on a loop.
    static func ofProgram(isolation: isolated (any Actor)? = #isolation) throws(CallbackError) -> EventLoop {
        guard let loop = current() else { throw CallbackError(.unavailable, "Programs run only in the daemon.") }
        return loop
    }
}
