import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// Runs a program for each request: `exec: [notes, add, --, "{text}"]`.
///
/// There is no shell. The program gets the parameters as arguments and in its environment, and the whole request as
/// JSON; its output and its exit status are the answer.
struct ExecHandler: AwaitedHandler {
    private let arguments: [ArgumentTemplate]
    private let environment: ProgramEnvironment
    private let kinds: ParameterKinds
    private let answer: ProgramAnswer
    private let isDetached: Bool
    private let quota: ChildQuota
    private let limits: Limits

    init?(_ source: StageSource) {
        guard let node = source.node, case .sequence(let elements) = node.content else {
            let found = source.node.map { ", found \($0.found)" } ?? ""
            source.faults.report(
                "expected a list of a program and its arguments, such as [notes, add, --, \"{text}\"]\(found)",
                at: source.node?.place ?? source.place)
            return nil
        }
        isDetached = source.keys?.bool("detach") ?? false
        answer = ProgramAnswer(source, isDetached: isDetached)
        var arguments: [ArgumentTemplate] = []
        var isOperand = false
        for element in elements {
            guard let argument = ArgumentTemplate(element, isOperand: isOperand, source) else { continue }
            arguments.append(argument)
            if argument.literal == Array("--".utf8) { isOperand = true }
        }
        self.arguments = arguments
        environment = ProgramEnvironment(source, at: node.place)
        kinds = ParameterKinds(source.route)
        limits = source.surroundings.limits
        quota = ChildQuota(
            group: source.route.identity, groupLimit: limits.processesPerRoute, totalLimit: limits.processes)
        guard arguments.count == elements.count else { return nil }
        checkProgram(node, source)
        InterpreterRule(arguments).check(source.faults)
    }

    /// Reports a program that is not named plainly.
    private func checkProgram(_ node: Node, _ source: StageSource) {
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

    func handle(_ request: Request) async throws -> Response {
        // Without a loop nobody can look after a program.
        guard let loop = EventLoop.current() else {
            throw CallbackError(.unavailable, "Programs run only in the daemon.")
        }
        let command = try command(for: request)
        do {
            if isDetached {
                try await loop.start(command)
                return .success(QueryItems())
            }
            return try answer.response(to: try await loop.run(command, within: quota))
        } catch let error as SystemError {
            throw failure(error)
        } catch let excess as ChildQuota.Excess {
            throw refusal(excess)
        }
    }

    private func command(for request: Request) throws(CallbackError) -> ChildCommand {
        var texts: [[UInt8]] = []
        for argument in arguments { texts.append(try argument.text(for: request)) }
        var command = ChildCommand(
            arguments: texts, environment: try environment.variables(for: request),
            input: request.json(kinds).bytes + [UInt8(ascii: "\n")])
        command.isDetached = isDetached
        command.output = answer.output == .none ? .discarded : .kept(limit: limits.output)
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

    private func failure(_ error: SystemError) -> any Error {
        if error.isExcessOfArguments { return CallbackError(.tooLarge, "The request is too large for a program.") }
        let program = String(decoding: arguments.first?.literal ?? [], as: UTF8.self)
        answer.log("cannot start a program", ["program": "\(program)", "error": "\(error)"])
        if error.isShortage {
            return CallbackError(.unavailable, "The system cannot run more programs at the moment.")
        }
        return CallbackError.internalFailure
    }
}

extension ExecHandler: RehearsedStage {
    /// Makes the arguments and starts nothing.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        do throws(CallbackError) {
            let words = try command(for: request).arguments.map { String(decoding: $0, as: UTF8.self) }
            let note =
                isDetached
                ? "succeeds once the program has started"
                : "the output of the program and its exit status are the answer"
            return Rehearsal(.open, notes: [note], command: words)
        } catch {
            return Rehearsal(.ends(.error(error)))
        }
    }
}
