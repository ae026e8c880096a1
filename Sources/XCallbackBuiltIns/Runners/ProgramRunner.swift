import Glibc
package import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackPipeline
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
    /// If the task is cancelled, the program and all processes that it has started are ended.
    ///
    /// - Parameters:
    ///   - program: A program that is not detached.
    ///   - command: The program with its arguments, its environment and its standard input.
    ///   - request: The request.
    ///   - quota: The maximum number that run at a time.
    ///   - loop: The loop of the caller.
    /// - Returns: How the program ended.
    /// - Throws: ``ChildQuota/Excess`` if too many programs run; ``SystemError`` if the program cannot be started;
    ///   ``CallbackError`` if it cannot be started for a reason that the client may see; `CancellationError` if it is
    ///   no longer needed.
    func run(
        _ program: Program, _ command: ChildCommand, for request: Request, within quota: ChildQuota, on loop: EventLoop
    ) async throws -> ChildResult

    /// Starts a detached program, which outlives the daemon.
    ///
    /// - Parameters:
    ///   - program: A detached program.
    ///   - command: The program with its arguments, its environment and its standard input.
    ///   - request: The request for which it runs, or which needs it as a receiver.
    ///   - loop: The loop of the caller.
    ///   - ended: Called once the program has ended or the daemon has lost track of it; not called if it cannot be started.
    /// - Throws: ``SystemError`` or ``CallbackError`` if the program cannot be started.
    func start(
        _ program: Program, _ command: ChildCommand, for request: Request, on loop: EventLoop,
        ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws
}

/// The place of a program in the configuration: the stage, and its route.
package struct ProgramStage: Hashable, Sendable {
    /// The kind of stage.
    package enum Kind: String, Sendable {
        case middleware, policy, handler
    }

    /// The kind of the stage.
    package let kind: Kind
    /// The index among the route's stages of the same kind; 0 for a handler.
    package let position: Int
    /// The identity of the route within the configuration (``Route/identity``).
    package let route: String
    /// The route's scheme and pattern, which contain no values and may be shown.
    package let routeName: String
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

    /// Creates runners; by default those of a process that does not know which runners the daemon has.
    ///
    /// - Parameters:
    ///   - usual: Runs the programs of routes that choose no runner.
    ///   - unit: Runs each program in a scope or a unit of its own.
    ///   - spawn: Runs each program as a child of the daemon.
    package init(
        usual: any ProgramRunner = ChildRunner(manner: nil), unit: any ProgramRunner = ChildRunner(requiresScope: true),
        spawn: any ProgramRunner = ChildRunner()
    ) {
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

/// Runs programs as children of the daemon, with the present variables of the session.
///
/// Detached programs, and those of routes with `runner: unit`, run in a scope of the service manager: `systemd-run` moves the
/// child there, and then becomes the program. So the program keeps its environment, its pipes and its status, and the unit
/// has no values.
package struct ChildRunner: ProgramRunner {
    /// Whether each program must run in a scope (`runner: unit`).
    private let requiresScope: Bool
    /// Lives on the loop, on which runners work; nil in a process that is not the daemon.
    nonisolated(unsafe) fileprivate let manager: ManagerSession?

    package let manner: String?

    /// Creates a runner.
    package init(
        requiresScope: Bool = false, _ manager: ManagerSession? = nil, manner: String? = "as a child of the daemon"
    ) {
        self.requiresScope = requiresScope
        self.manager = manager
        self.manner = requiresScope ? "in a scope of the service manager" : manner
    }

    package func run(
        _ program: Program, _ command: ChildCommand, for request: Request, within quota: ChildQuota, on loop: EventLoop
    ) async throws -> ChildResult {
        var command = await renewed(command, on: loop)
        if requiresScope { command = try await scoped(command, program, request, on: loop) }
        var result = try await loop.run(command, within: quota)
        if requiresScope {
            guard let scope = result.unit else { throw CallbackError.noServiceManager }
            // In a task of its own, as this one is cancelled.
            if Task.isCancelled { Task.immediate(executorPreference: loop.executor) { await kill(scope, on: loop) } }
        }
        if !command.hasDisplay, await sessionVariables(on: loop) != nil {
            result.hint = "your service manager has no display: run '\(ManagerScope.displayImport)' in your session"
        }
        return result
    }

    package func start(
        _ program: Program, _ command: ChildCommand, for request: Request, on loop: EventLoop,
        ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        let command = await renewed(command, on: loop)
        do {
            try await loop.start(scoped(command, program, request, on: loop), ended: ended)
        } catch is ScopeFailure {
            if requiresScope { throw CallbackError.noServiceManager }
            manager?.logger.info(
                "a detached program runs as a child of the daemon: the service manager does not respond",
                metadata: ["route": "\(program.stage.routeName)"])
            try await loop.start(command, ended: ended)
        }
    }

    /// Returns a command with the session's present variables.
    private func renewed(_ command: ChildCommand, on loop: EventLoop) async -> ChildCommand {
        guard let variables = await sessionVariables(on: loop) else { return command }
        var command = command
        command.environment = ProgramEnvironment.renewed(
            command.environment, by: variables, but: command.chosenVariables)
        return command
    }

    /// Returns the variables that a user's service manager gives to programs; nil without one.
    private func sessionVariables(on loop: EventLoop) async -> [[UInt8]]? {
        manager?.isOfSystem == false ? await loop.sessionVariables(known: self) : nil
    }

    /// Returns the command that runs a program in a scope.
    ///
    /// - Throws: ``SystemError`` if the program does not exist; ``ScopeFailure`` without systemd.
    private func scoped(
        _ command: ChildCommand, _ program: Program, _ request: Request, on loop: EventLoop
    ) async throws -> ChildCommand {
        guard manager != nil else { throw ScopeFailure() }
        let word = String(decoding: command.arguments.first ?? [], as: UTF8.self)
        let folders = ProgramFolders()
        if let obstacle = ProgramObstacle(starting: word, in: folders) {
            throw SystemError("execve", code: obstacle.code)
        }
        guard let path = folders.path(of: word) else { throw SystemError("execve", code: ENOENT) }
        guard let version = await loop.managerVersion(known: self) else { throw ScopeFailure() }
        var command = command
        let scope = "xcallback-\(await loop.scopeName(for: request, known: self)).scope"
        var words = ["systemd-run", "--scope", "--quiet", "--collect", "--unit=\(scope)"]
        words.append("--description=\(program.stage.kind.rawValue) of \(program.stage.routeName)")
        words += manager?.isOfSystem == true ? [] : ["--user", "--slice=app.slice"]
        // Earlier versions do not know it, and leave the arguments as they are.
        if version >= 254 { words.append("--expand-environment=no") }
        // Neither the program's folder nor its PATH may affect which program runs.
        words += ["--", path.hasPrefix("/") ? path : workingFolder() + path]
        command.arguments = words.map { Array($0.utf8) } + command.arguments.dropFirst()
        command.scope = scope
        return command
    }

    /// Kills what is left of a scope after its program was ended.
    private func kill(_ scope: String, on loop: EventLoop) async {
        let words =
            ["systemctl"] + (manager?.isOfSystem == true ? [] : ["--user"]) + ["kill", "--signal=SIGKILL", scope]
        var command = ChildCommand.keepingOutput(words)
        command.isDetached = true
        try? await loop.start(command) { _ in }
    }
}

extension ChildCommand {
    /// Whether the environment names a display.
    fileprivate var hasDisplay: Bool {
        environment.contains { $0.starts(with: "DISPLAY=".utf8) || $0.starts(with: "WAYLAND_DISPLAY=".utf8) }
    }
}

/// What the daemon knows about its service manager, also after a reload; lives on the event loop.
package final class ManagerSession {
    /// Whether it is the system's service manager, and not a user's.
    fileprivate let isOfSystem: Bool
    fileprivate let logger: Logger
    fileprivate let variables = SessionVariables()
    /// The version of systemd; nil if it is not known yet.
    fileprivate var version: Int?
    fileprivate var scopeCount = 0

    package init(isOfSystem: Bool, _ logger: Logger) {
        self.isOfSystem = isOfSystem
        self.logger = logger
    }
}

extension EventLoop {
    fileprivate func sessionVariables(known runner: ChildRunner) async -> [[UInt8]]? {
        await runner.manager?.variables.current(on: self)
    }

    /// Returns the version of `systemd-run`; nil if there is none.
    fileprivate func managerVersion(known runner: ChildRunner) async -> Int? {
        if let version = runner.manager?.version { return version }
        guard let result = try? await run(.keepingOutput(["systemd-run", "--version"])) else { return nil }
        // The first line is 'systemd 257 (257.8-1)'.
        let words = String(decoding: result.output, as: UTF8.self).split { $0 == " " || $0 == "\n" || $0 == "." }
        runner.manager?.version = words.count > 1 ? Int(words[1]) : nil
        return runner.manager?.version
    }

    /// Returns a name for the scope of a program, which no other one has.
    fileprivate func scopeName(for request: Request, known runner: ChildRunner) -> String {
        runner.manager?.scopeCount += 1
        return "\(request.id.map { "\($0)" } ?? "\(getpid())")-\(runner.manager?.scopeCount ?? 0)"
    }
}

extension CallbackError {
    fileprivate static let noServiceManager = CallbackError(
        .unavailable,
        "The service manager does not respond, and the programs of this route can run only there (runner: unit).")
}

/// The variables that the user's service manager gives to programs at present; lives on the event loop.
///
/// The session can be newer than the daemon: its display is known once the user has logged in.
package final class SessionVariables {
    /// How long an answer of the manager is kept.
    private static let lifetime = Duration.seconds(10)
    /// How long the manager may take to answer.
    private static let patience = Duration.seconds(2)
    /// Whether a service manager has started this process itself (systemd.exec(5)).
    private static let hasStartedProcess = getenv("SYSTEMD_EXEC_PID").map { String(cString: $0) } == "\(getpid())"

    private var variables: [[UInt8]]?
    private var end = Duration.zero

    /// Returns the variables as `NAME=value`; nil if no service manager has started the daemon, or if it does not answer.
    func current(on loop: isolated EventLoop) async -> [[UInt8]]? {
        guard Self.hasStartedProcess else { return nil }
        if loop.now < end { return variables }
        let command = ChildCommand.keepingOutput(["systemctl", "--user", "show-environment"])
        let question = Task.immediate(executorPreference: loop.executor) { try? await loop.run(command) }
        let timer = loop.call(after: Self.patience) { question.cancel() }
        let result = await question.value
        loop.cancel(timer)
        variables = result.flatMap { $0.ending == .exited(status: 0) ? Self.variables(in: $0.output) : nil }
        end = loop.now + Self.lifetime
        return variables
    }

    /// Reads the output of `systemctl show-environment`: lines of `NAME=value`, or `NAME=$'value'` with escapes as in a shell.
    package static func variables(in output: [UInt8]) -> [[UInt8]] {
        output.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let value = line[line.index(after: sign)...]
            let isQuoted = value.count > 2 && value.starts(with: "$'".utf8) && value.last == UInt8(ascii: "'")
            guard isQuoted else { return Array(line) }
            return line[...sign] + unescaped(value.dropFirst(2).dropLast())
        }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var rest = text
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch letter {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                let digits = [letter] + rest.prefix(2)
                rest = rest.dropFirst(2)
                bytes.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 8) ?? UInt8(ascii: "?"))
            default: bytes.append(letter)
            }
        }
        return bytes
    }
}

extension ChildCommand {
    /// Creates a command of the system whose output is needed.
    static func keepingOutput(_ words: [String]) -> ChildCommand {
        var command = ChildCommand(arguments: words.map { Array($0.utf8) }, environment: ProgramEnvironment.session())
        command.output = .kept(limit: 1 << 20)
        return command
    }
}
