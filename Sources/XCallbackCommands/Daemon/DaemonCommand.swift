import ArgumentParser
import Dispatch
import Synchronization
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux

/// A command that calls the daemon.
protocol DaemonCommand: ParsableCommand, Sendable {
    /// The socket options.
    var location: SocketOption { get }
    /// Performs the command.
    ///
    /// - Throws: `ExitCode` once everything is printed, ``Failure``, or `ClientError`.
    func run(asking daemon: Client) async throws
}

extension DaemonCommand {
    /// Runs the command while the thread waits for it.
    func run() throws {
        let command = self
        try waitFor { try await command.run(asking: Client(socket: command.location.socket)) }
    }
}

/// The options that select the daemon.
struct SocketOption: ParsableArguments {
    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp(
            "The daemon's socket. Default: $XCALLBACK_SOCKET, the user's daemon, the system's daemon.",
            valueName: "path"),
        completion: .file())
    var path: String?

    @Flag(help: "Use the system's daemon.")
    var system = false

    @Flag(help: "Use the user's daemon.")
    var user = false

    /// The path of the named socket; nil if none.
    var socket: String? {
        path ?? (system ? SocketLocation.systemPath : user ? SocketLocation.userPath() : nil)
    }

    /// The options again, each after a blank, for a command to the same daemon.
    var words: String {
        (path.map { " --socket \($0.shellWord)" } ?? "") + (system ? " --system" : "") + (user ? " --user" : "")
    }

    func validate() throws {
        if path == "" { throw ValidationError("'--socket' needs a path.") }
        if [path != nil, system, user].count(where: \.self) > 1 {
            throw ValidationError("'--socket', '--system' and '--user' cannot be combined.")
        }
    }
}

/// Runs an async function while the thread waits.
func waitFor(_ body: @escaping @Sendable () async throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    let end = DispatchSemaphore(value: 0)
    Task {
        do { try await body() } catch { failure.withLock { $0 = error } }
        end.signal()
    }
    end.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}
