import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

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
        try waitFor { try await command.run(asking: Client(socket: command.location.socket, caller: parentProgram())) }
    }
}

/// The program that has started this command, and its unit: `caller` of `Open`.
private func parentProgram() -> String {
    let unit = ProcessState.controlGroup(of: "self")?.split(separator: "/").last { $0.contains(".") }
    let program = ProcessState(of: getppid())?.program ?? ""
    return unit.map { "\(program) in \($0)" } ?? program
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

    /// Whether the daemon is the system's, which has a program server.
    var isOfSystem: Bool {
        get throws(ClientError) { try SocketLocation(option: socket).path() == SocketLocation.systemPath }
    }

    func validate() throws {
        if path == "" { throw ValidationError("'--socket' needs a path.") }
        if [path != nil, system, user].count(where: \.self) > 1 {
            throw ValidationError("'--socket', '--system' and '--user' cannot be combined.")
        }
    }
}

/// The option that selects a configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Read this configuration instead of the daemon's.", valueName: "file"),
        completion: .file())
    var config: String?
}

/// A time on the command line, such as `30s` or `5m`.
struct TimeOption: ExpressibleByArgument {
    let limit: Duration

    init?(argument: String) {
        guard let limit = Duration(text: argument), limit > .zero else { return nil }
        self.limit = limit
    }
}

/// Runs an async function while the thread waits, and reports a daemon that does not answer.
///
/// - Throws: The error of the function; ``Failure`` if the system has no threads for it.
func waitFor(_ body: @escaping @Sendable () async throws -> Void) throws {
    try checkThreads()
    let failure = Mutex<(any Error)?>(nil)
    let end = DispatchSemaphore(value: 0)
    Task {
        do { try await body() } catch { failure.withLock { $0 = error } }
        end.signal()
    }
    // This thread reports it, because a timer would need threads of its own.
    while end.wait(timeout: ReplyWatch.report()) == .timedOut {}
    if let error = failure.withLock({ $0 }) { throw error }
}

/// Starts as many threads at once as Dispatch needs for tasks, connections and timers: it would wait for them for ever.
private func checkThreads() throws(Failure) {
    let end = DispatchSemaphore(value: 0)
    let queues = (1...3).map { _ in WorkQueue() }
    defer { for _ in queues { end.signal() } }
    do throws(SystemError) {
        for queue in queues { try queue.async { end.wait() } }
    } catch {
        throw Failure(.system, "nothing was done: \(error)")
    }
}

/// Reports a daemon that does not answer, once; the command continues to wait.
enum ReplyWatch {
    /// The time after which a reply is reported as late, in seconds.
    private static let limit = 5

    /// A reply that is awaited.
    final class Alarm: Sendable {
        fileprivate let text: String
        fileprivate let time = DispatchTime.now() + .seconds(limit)

        fileprivate init(_ text: String) {
            self.text = text
            ReplyWatch.alarms.withLock { $0?.append(self) }
        }

        /// Ends the wait.
        func cancel() { ReplyWatch.alarms.withLock { $0?.removeAll { $0 === self } } }
    }

    /// The replies that are awaited, the oldest first; nil once a late one was reported.
    private static let alarms = Mutex<[Alarm]?>([])

    /// Reports the oldest reply if it is late; returns when to look again.
    fileprivate static func report() -> DispatchTime {
        let late = alarms.withLock { alarms -> Alarm? in
            guard let oldest = alarms?.first, oldest.time <= .now() else { return nil }
            alarms = nil
            return oldest
        }
        if let late {
            Terminal.printError("xcallback: waiting for \(late.text)")
            UserNotice.showUnseen("waiting for \(late.text)", inWindow: false)
        }
        return alarms.withLock { alarms in
            guard let alarms else { return .distantFuture }
            return alarms.first?.time ?? .now() + .seconds(limit)
        }
    }

    /// Waits for a reply of the daemon that comes at once unless the daemon is busy.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, such as `to read its configuration`.
    ///   - ask: Calls the daemon.
    /// - Returns: The result of `ask`.
    /// - Throws: The error of `ask`.
    static func wait<Reply>(_ purpose: String, _ ask: () async throws -> Reply) async throws -> Reply {
        let alarm = begin(purpose)
        defer { alarm.cancel() }
        return try await ask()
    }

    /// Waits for the answer to a request, whose handler may take long.
    ///
    /// - Parameters:
    ///   - location: The options that select the daemon.
    ///   - ask: Calls the daemon.
    /// - Returns: The result of `ask`.
    /// - Throws: The error of `ask`.
    static func waitForAnswer<Answer>(
        of location: SocketOption, _ ask: () async throws -> Answer
    ) async throws -> Answer {
        try await waitForAnswer(of: location, showsProgress: false) { _ in try await ask() }
    }

    /// Waits for the answer to a request, and keeps its progress in one line on standard error if that is a terminal.
    ///
    /// - Parameters:
    ///   - location: The options that select the daemon.
    ///   - showsProgress: Whether the progress is wanted.
    ///   - ask: Calls the daemon, with what to call with the progress.
    /// - Returns: The result of `ask`.
    /// - Throws: The error of `ask`.
    static func waitForAnswer<Answer>(
        of location: SocketOption, showsProgress: Bool,
        _ ask: (_ progress: (@Sendable (RequestProgress) -> Void)?) async throws -> Answer
    ) async throws -> Answer {
        let alarm = alarm(of: location)
        defer { alarm.cancel() }
        guard showsProgress, isatty(STDERR_FILENO) == 1, variable("TERM") != "dumb" else { return try await ask(nil) }
        let isShown = Mutex(false)
        defer { if isShown.withLock({ $0 }) { Terminal.show(status: "") } }
        return try await ask { progress in
            alarm.cancel()
            isShown.withLock { $0 = true }
            Terminal.show(status: progress.description, end: " (Ctrl-C cancels)")
        }
    }

    /// Begins to wait for an answer.
    ///
    /// - Parameters:
    ///   - location: The options that select the daemon.
    ///   - help: What the user can do meanwhile.
    /// - Returns: The alarm, which must be cancelled.
    static func alarm(of location: SocketOption, help: String = " (Ctrl-C cancels the request)") -> Alarm {
        let path = (try? SocketLocation(option: location.socket).path()).map { " at '\($0)'" } ?? ""
        return Alarm("the answer of the daemon\(path)\(help)")
    }

    /// Begins to wait for a reply of the daemon that comes at once unless the daemon is busy.
    ///
    /// - Parameter purpose: The purpose of the call.
    /// - Returns: The alarm, which must be cancelled.
    static func begin(_ purpose: String) -> Alarm {
        Alarm("the daemon \(purpose) for \(limit) s: it is busy, stopped (SIGSTOP) or hangs")
    }
}

extension Client {
    /// The maximum time for the daemon's status, which it returns at once unless it hangs.
    private static let patience = Duration.seconds(5)

    /// Returns the daemon's status, with a timeout.
    ///
    /// - Returns: The status.
    /// - Throws: `ClientError`, also if the daemon accepts connections and does not answer.
    func statusInTime() async throws -> Status {
        do {
            return try await withTimeout(Self.patience) { try await self.status() }
        } catch let error as CallbackError {
            guard error.code == .timedOut else { throw error }
            throw ClientError(
                .disconnected,
                "the daemon accepts connections, but did not answer within \(Self.patience.components.seconds) s: it may be "
                    + "stopped (SIGSTOP) or hang; check its process, or restart it")
        }
    }
}
