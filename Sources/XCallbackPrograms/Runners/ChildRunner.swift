import Glibc
package import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackRouter
import XCallbackURL

/// Runs programs as children of the daemon, with the present variables of the session.
///
/// Detached programs, and those of routes with `runner: unit`, run in a scope of the service manager: `systemd-run` moves the
/// child there, and then becomes the program. So the program keeps its environment, its pipes and its status, and the unit
/// has no values. What another program of a user leaves behind moves into a scope once the program has ended.
package struct ChildRunner: ProgramRunner {
    /// Whether each program must run in a scope (`runner: unit`).
    private let requiresScope: Bool
    /// Lives on the loop, on which runners work; nil in a process that is not the daemon.
    private nonisolated(unsafe) let manager: ManagerSession?

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
        _ program: Program, _ command: ChildCommand, for request: Request, _ host: any StageHost,
        on loop: isolated EventLoop, started: @escaping @Sendable () -> Void
    ) async throws -> ChildResult {
        var command = await renewed(command, on: loop)
        guard requiresScope || command.isDetached else {
            if manager?.isOfSystem == false { command.scopeOfLeft = manager?.nextScope(for: request) }
            return await hinted(try await loop.run(command, started: started), command, on: loop)
        }
        do {
            let result = try await loop.run(scoped(command, program, request, on: loop), started: started)
            // In a task of its own, as this one is cancelled.
            if Task.isCancelled, !command.isDetached, let scope = result.unit {
                Task.immediate(executorPreference: loop.executor) { await kill(scope, on: loop) }
            }
            return await hinted(result, command, on: loop)
        } catch is ScopeFailure {
            if requiresScope { throw CallbackError.noServiceManager }
            manager?.logger.info(
                "a detached program runs as a child of the daemon: the service manager does not respond",
                metadata: ["route": "\(request.route)"])
            return try await loop.run(command, started: started)
        }
    }

    /// Returns a result with what its program needs if there is no display.
    private func hinted(
        _ result: ChildResult, _ command: ChildCommand, on loop: isolated EventLoop
    ) async -> ChildResult {
        let hasDisplay = SessionVariables.nameDisplay(command.environment)
        guard !hasDisplay, await sessionVariables(on: loop) != nil else { return result }
        var result = result
        result.hint = "your service manager has no display: run '\(ManagerScope.displayImport)' in your session"
        return result
    }

    /// Returns a command with the session's present variables.
    private func renewed(_ command: ChildCommand, on loop: isolated EventLoop) async -> ChildCommand {
        guard let variables = await sessionVariables(on: loop) else { return command }
        var command = command
        command.environment = ProgramEnvironment.renewed(
            command.environment, by: variables, but: command.chosenVariables)
        return command
    }

    /// Returns the variables that a user's service manager gives to programs; nil without one.
    private func sessionVariables(on loop: isolated EventLoop) async -> [[UInt8]]? {
        manager?.isOfSystem == false ? await manager?.variables.current(on: loop) : nil
    }

    /// Returns the command that runs a program in a scope.
    ///
    /// - Throws: ``SystemError`` if the program does not exist; ``ScopeFailure`` without systemd.
    private func scoped(
        _ command: ChildCommand, _ program: Program, _ request: Request, on loop: isolated EventLoop
    ) async throws -> ChildCommand {
        guard let manager else { throw ScopeFailure() }
        let word = String(decoding: command.arguments.first ?? [], as: UTF8.self)
        let folders = ProgramFolders()
        if let obstacle = ProgramObstacle(starting: word, in: folders) {
            throw SystemError("execve", code: obstacle.code)
        }
        guard let path = folders.path(of: word) else { throw SystemError("execve", code: ENOENT) }
        guard let version = await manager.version(on: loop) else { throw ScopeFailure() }
        var command = command
        let scope = manager.nextScope(for: request) + ".scope"
        var words = ["systemd-run", "--scope", "--quiet", "--collect", "--unit=\(scope)"]
        words.append("--description=\(program.stage.kind.rawValue) of \(request.route)")
        words += manager.isOfSystem ? [] : ["--user", "--slice=app.slice"]
        // Earlier versions do not know it, and leave the arguments as they are.
        if version >= 254 { words.append("--expand-environment=no") }
        // Neither the program's folder nor its PATH may affect which program runs.
        words += ["--", path.hasPrefix("/") ? path : workingFolder() + path]
        command.arguments = words.map { Array($0.utf8) } + command.arguments.dropFirst()
        command.scope = scope
        return command
    }

    /// Kills what is left of a scope after its program was ended.
    private func kill(_ scope: String, on loop: isolated EventLoop) async {
        let words =
            ["systemctl"] + (manager?.isOfSystem == true ? [] : ["--user"]) + ["kill", "--signal=SIGKILL", scope]
        var command = ChildCommand.keepingOutput(words)
        command.isDetached = true
        _ = try? await loop.run(command)
    }
}

/// What the daemon knows about its service manager, also after a reload; lives on the event loop.
package final class ManagerSession {
    /// Whether it is the system's service manager, and not a user's.
    fileprivate let isOfSystem: Bool
    fileprivate let logger: Logger
    fileprivate let variables = SessionVariables()
    private var knownVersion: Int?
    private var scopeCount = 0

    package init(isOfSystem: Bool, _ logger: Logger) {
        self.isOfSystem = isOfSystem
        self.logger = logger
    }

    /// Returns the version of `systemd-run`; nil if there is none.
    fileprivate func version(on loop: isolated EventLoop) async -> Int? {
        if let knownVersion { return knownVersion }
        guard let result = try? await loop.run(.keepingOutput(["systemd-run", "--version"])) else { return nil }
        // The first line is 'systemd 257 (257.8-1)'.
        let words = String(decoding: result.output, as: UTF8.self).split { $0 == " " || $0 == "\n" || $0 == "." }
        knownVersion = words.count > 1 ? Int(words[1]) : nil
        return knownVersion
    }

    /// Returns a name for the scope of a program, without its suffix, which no other one has.
    fileprivate func nextScope(for request: Request) -> String {
        scopeCount += 1
        return "xcallback-\(request.id.map { "\($0)" } ?? "\(getpid())")-\(scopeCount)"
    }
}

extension CallbackError {
    fileprivate static let noServiceManager = CallbackError(
        .unavailable,
        "The service manager does not respond, and the programs of this route can run only there (runner: unit).")
}

extension ChildCommand {
    /// Creates a command of the system whose output is needed.
    static func keepingOutput(_ words: [String]) -> ChildCommand {
        var command = ChildCommand(arguments: words.map { Array($0.utf8) }, environment: ProgramEnvironment.session())
        command.output = .kept(limit: 1 << 20)
        return command
    }
}
