import Glibc
import XCallbackTesting

/// A temporary directory in which the command runs, with the files and daemons that a test puts there.
final class CommandWorkspace {
    private let files: TemporaryDirectory
    private var daemon: SpawnedProgram?
    var directory: String { files.path }
    /// Where daemons of the test listen: a user's place, if `$XDG_RUNTIME_DIR` is the directory.
    var socket: String { "\(directory)/xcallbackd/socket" }

    init() throws {
        files = try TemporaryDirectory()
        _ = try TestFailure.check("mkdir", mkdir(files.path(of: "xcallbackd"), 0o700))
    }

    /// Writes a file that a daemon of the test's user may read.
    func write(_ text: String, to name: String) throws { try files.write(text, to: name) }

    /// Starts the command.
    func start(_ arguments: String..., output: String? = nil) throws -> SpawnedProgram {
        try SpawnedProgram("xcallback", arguments, in: directory, output: output)
    }

    /// Runs the command to its end.
    func run(_ arguments: String..., environment: [String] = []) throws -> ProgramResult {
        try run(arguments, environment: environment)
    }

    /// Runs the command to its end.
    func run(_ arguments: [String], environment: [String] = []) throws -> ProgramResult {
        try SpawnedProgram("xcallback", arguments, environment: environment, in: directory).finish()
    }

    /// Runs `xcallback open` with the socket of the workspace to its end.
    func open(_ arguments: String...) throws -> ProgramResult {
        try run(["open", "--socket", socket] + arguments)
    }

    /// Starts a daemon with a configuration, and waits until it is ready; it ends with the workspace, or before the next one.
    func startDaemon(_ configuration: String) throws {
        daemon = nil
        try write(configuration, to: "daemon.yaml")
        let manager = try FakeServiceManager(address: "\(directory)/notify")
        daemon = try SpawnedProgram(
            "xcallbackd", ["--config", "daemon.yaml", "--socket", socket],
            environment: ["NOTIFY_SOCKET=\(manager.address)"], in: directory)
        while try !manager.receive().hasPrefix("READY=1") {}
    }
}
