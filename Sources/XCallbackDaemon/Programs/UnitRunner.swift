import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackSystemd
import XCallbackURL

/// Runs each program in a unit of its own in the user's service manager.
struct UnitRunner: ProgramRunner {
    /// Whether a program must run in a unit; if false, the daemon runs it itself when a unit is not possible.
    let isRequired: Bool
    let logger: Logger
    private let spawning = ChildRunner()

    /// Creates a runner.
    init(isRequired: Bool, _ logger: Logger) {
        self.isRequired = isRequired
        self.logger = logger
    }

    var manner: String? {
        if UserSession.hasServiceManager { return "in a unit of the user's service manager" }
        return isRequired
            ? "in a unit of the user's service manager, which is unavailable"
            : "as a child of the daemon, because the user has no service manager"
    }

    func run(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult {
        if let result = try await loop.runInUnit(program, logger) { return result }
        if isRequired { throw CallbackError.noServiceManager }
        return try await spawning.run(program, on: loop)
    }

    func start(
        _ program: PreparedProgram, on loop: EventLoop, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        let isStarted = try await loop.startInUnit(program.command, logger, ended: ended) { variables in
            try UnitCommand(program, knowing: variables)
        }
        if isStarted { return }
        if isRequired { throw CallbackError.noServiceManager }
        try await loop.start(program.command, ended: ended)
    }
}

extension PreparedProgram {
    /// The title of the unit, for people; it contains no values.
    fileprivate var title: String {
        "\(stage.kind.rawValue) of \(stage.routeName)" + (request.id.map { ", request \($0)" } ?? "")
    }
}

extension UnitCommand {
    /// How long a program may outlive the time limit of its request if the daemon is gone and cannot end it.
    private static let margin = Duration.seconds(30)
    /// The longest argument or variable that the kernel accepts, including the terminating NUL (execve(2)).
    private static let textLimit = 32 * sysconf(Int32(_SC_PAGESIZE))

    /// Creates the unit of a route's program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - variables: The variables that the service manager currently gives to programs. They replace those of the
    ///     session if the manager has started this process; otherwise, as in a terminal, this process keeps its own.
    /// - Throws: ``SystemError`` if the program does not exist, or its arguments and variables exceed the kernel's
    ///   limit; ``CallbackError`` if it has an argument or variable that a unit cannot have.
    init(_ program: PreparedProgram, knowing variables: [[UInt8]]) throws {
        var command = program.command
        if UserSession.hasStartedProcess {
            command.environment = ProgramEnvironment.renewed(
                command.environment, by: variables, but: command.chosenVariables)
        }
        try self.init(command, title: program.title, limit: program.limit.map { $0 + Self.margin })
    }

    /// Creates the unit of a program.
    ///
    /// - Throws: ``SystemError`` if the program does not exist, or its arguments and variables exceed the kernel's
    ///   limit; ``CallbackError`` if it has an argument or variable that a unit cannot have.
    init(_ program: ChildCommand, title: String, limit: Duration?) throws {
        let word = String(decoding: program.arguments.first ?? [], as: UTF8.self)
        guard let path = ProgramFolders().path(of: word) else { throw SystemError("execve", code: ENOENT) }
        let texts = program.arguments + program.environment
        let size = texts.reduce(path.utf8.count) { $0 + $1.count + 1 + MemoryLayout<UInt>.size }
        // The kernel needs room for entries of its own.
        if texts.contains(where: { $0.count >= Self.textLimit }) || size > sysconf(Int32(_SC_ARG_MAX)) - 4096 {
            throw SystemError("execve", code: E2BIG)
        }
        guard texts.allSatisfy(\.isTextOfUnits) else { throw CallbackError.noTextOfUnits }
        let name = getcwd(nil, 0)
        defer { free(name) }
        let folder = name.map { Array(String(cString: $0).utf8) } ?? []
        self.init(
            path: path.hasPrefix("/") ? Array(path.utf8) : folder + Array("/\(path)".utf8),
            arguments: program.arguments, environment: program.environment, title: title,
            folder: program.folder ?? (folder.isEmpty ? nil : folder), needsFolder: program.folder != nil,
            isDetached: program.isDetached, limit: limit)
    }
}

extension CallbackError {
    fileprivate static let noServiceManager = CallbackError(
        .unavailable,
        "The user's service manager does not respond, and the programs of this route run nowhere else "
            + "(runner: unit).")
    fileprivate static let noTextOfUnits = CallbackError(
        .badParameter, "The input of the program has a character that is not allowed in a unit of the service manager.")
}

extension [UInt8] {
    /// Whether the service manager accepts the text: UTF-8 without noncharacters (such as U+FFFF).
    fileprivate var isTextOfUnits: Bool {
        guard let text = String(validating: self, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { $0.value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains($0.value) }
    }
}
