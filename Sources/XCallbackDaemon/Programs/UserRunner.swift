import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Runs the programs of a daemon as its children, with the present variables of the session.
///
/// Detached programs, and those of routes with `runner: unit`, run in a scope of the service manager: `systemd-run` moves the
/// child there, and then becomes the program. So the program keeps its environment, its pipes and its status, and the unit
/// has no values.
struct UserRunner: ProgramRunner {
    /// Whether each program must run in a scope (`runner: unit`).
    let requiresScope: Bool
    /// Whether the scopes belong to the system's service manager, and not to a user's.
    let isOfSystem: Bool
    /// Lives on the loop, on which runners work.
    nonisolated(unsafe) fileprivate let session: ManagerSession
    let logger: Logger
    private let children = ChildRunner()

    /// Creates a runner.
    init(requiresScope: Bool, isOfSystem: Bool, _ session: ManagerSession, _ logger: Logger) {
        self.requiresScope = requiresScope
        self.isOfSystem = isOfSystem
        self.session = session
        self.logger = logger
    }

    var manner: String? { requiresScope ? "in a scope of the service manager" : children.manner }

    func run(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult {
        let program = await renewed(program, on: loop)
        var result = try await requiresScope ? runInScope(program, on: loop) : children.run(program, on: loop)
        if !program.command.hasDisplay, await isManaged(on: loop) {
            result.hint = "your service manager has no display: run '\(ManagerScope.displayImport)' in your session"
        }
        return result
    }

    private func runInScope(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult {
        let command = try await scoped(program, on: loop)
        let result = try await loop.run(command, within: program.quota)
        guard let scope = result.unit else { throw CallbackError.noServiceManager }
        // In a task of its own, as this one is cancelled.
        if Task.isCancelled { Task.immediate(executorPreference: loop.executor) { await kill(scope, on: loop) } }
        return result
    }

    func start(
        _ program: PreparedProgram, on loop: EventLoop, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        let program = await renewed(program, on: loop)
        do {
            try await loop.start(scoped(program, on: loop), ended: ended)
        } catch is ScopeFailure {
            if requiresScope { throw CallbackError.noServiceManager }
            logger.info(
                "a detached program runs as a child of the daemon: the service manager does not respond",
                metadata: ["route": "\(program.stage.routeName)"])
            try await loop.start(program.command, ended: ended)
        }
    }

    /// Whether a user's service manager gives programs their variables.
    private func isManaged(on loop: EventLoop) async -> Bool {
        guard !isOfSystem else { return false }
        return await loop.sessionVariables(known: self) != nil
    }

    /// Returns a program with the session's present variables.
    private func renewed(_ program: PreparedProgram, on loop: EventLoop) async -> PreparedProgram {
        guard !isOfSystem, let variables = await loop.sessionVariables(known: self) else { return program }
        var program = program
        program.command.environment = ProgramEnvironment.renewed(
            program.command.environment, by: variables, but: program.command.chosenVariables)
        return program
    }

    /// Returns the command that runs a program in a scope.
    ///
    /// - Throws: ``SystemError`` if the program does not exist; ``ScopeFailure`` without systemd.
    private func scoped(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildCommand {
        let word = String(decoding: program.command.arguments.first ?? [], as: UTF8.self)
        let folders = ProgramFolders()
        if let obstacle = ProgramObstacle(starting: word, in: folders) {
            throw SystemError("execve", code: obstacle.code)
        }
        guard let path = folders.path(of: word) else { throw SystemError("execve", code: ENOENT) }
        guard let version = await loop.serviceManagerVersion(known: self) else { throw ScopeFailure() }
        var command = program.command
        let scope = "xcallback-\(await loop.scopeName(of: program, by: self)).scope"
        var words = ["systemd-run", "--scope", "--quiet", "--collect", "--unit=\(scope)"]
        words.append("--description=\(program.stage.kind.rawValue) of \(program.stage.routeName)")
        words += isOfSystem ? [] : ["--user", "--slice=app.slice"]
        // Earlier versions do not know it, and leave the arguments as they are.
        if version >= 254 { words.append("--expand-environment=no") }
        // Neither the program's folder nor its PATH may affect which program runs.
        words += ["--", path.hasPrefix("/") ? path : "\(ownFolder())/\(path)"]
        command.arguments = words.map { Array($0.utf8) } + command.arguments.dropFirst()
        command.scope = scope
        return command
    }

    /// Kills what is left of a scope after its program was ended.
    private func kill(_ scope: String, on loop: EventLoop) async {
        let words = ["systemctl"] + (isOfSystem ? [] : ["--user"]) + ["kill", "--signal=SIGKILL", scope]
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

private func ownFolder() -> String {
    let path = getcwd(nil, 0)
    defer { free(path) }
    return path.map { String(cString: $0) } ?? ""
}

/// What the daemon knows about its service manager, also after a reload; lives on the event loop.
final class ManagerSession {
    fileprivate let variables = SessionVariables()
    /// The version of systemd; nil if it is not known yet.
    fileprivate var version: Int?
    fileprivate var scopeCount = 0
}

extension EventLoop {
    fileprivate func sessionVariables(known runner: UserRunner) async -> [[UInt8]]? {
        await runner.session.variables.current(on: self)
    }

    /// Returns the version of `systemd-run`; nil if there is none.
    fileprivate func serviceManagerVersion(known runner: UserRunner) async -> Int? {
        if let version = runner.session.version { return version }
        guard let result = try? await run(.keepingOutput(["systemd-run", "--version"])) else { return nil }
        // The first line is 'systemd 257 (257.8-1)'.
        let words = String(decoding: result.output, as: UTF8.self).split { $0 == " " || $0 == "\n" || $0 == "." }
        runner.session.version = words.count > 1 ? Int(words[1]) : nil
        return runner.session.version
    }

    /// Returns a name for the scope of a program, which no other one has.
    fileprivate func scopeName(of program: PreparedProgram, by runner: UserRunner) -> String {
        runner.session.scopeCount += 1
        return "\(program.request.id.map { "\($0)" } ?? "\(getpid())")-\(runner.session.scopeCount)"
    }
}

extension CallbackError {
    fileprivate static let noServiceManager = CallbackError(
        .unavailable,
        "The service manager does not respond, and the programs of this route run nowhere else (runner: unit).")
}

extension ProgramRunners {
    /// Creates the runners for the programs of a daemon.
    init(for locations: Locations, _ session: ManagerSession, _ logger: Logger) {
        if let socket = locations.programServerSocket {
            let service = ServerRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : ChildRunner(), unit: service)
        } else {
            let isOfSystem = locations.isSystem
            func runner(requiresScope: Bool) -> UserRunner {
                UserRunner(requiresScope: requiresScope, isOfSystem: isOfSystem, session, logger)
            }
            let children = runner(requiresScope: false)
            self.init(usual: children, unit: runner(requiresScope: true), spawn: children)
        }
    }
}
