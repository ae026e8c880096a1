import Dispatch
import Synchronization
import XCallbackClient

/// Reports a daemon that does not answer; the command continues to wait.
///
/// The thread that waits for a command checks, because a timer would need a separate thread. A command reports once.
final class ReplyWatch: Sendable {
    /// The time after which a reply is reported as late.
    private static let limit = Duration.seconds(5)
    @TaskLocal private static var current: ReplyWatch?

    private struct State {
        /// The awaited reply, with the line that reports it.
        var reply: (start: ContinuousClock.Instant, line: String)?
        var isOver = false
    }

    private let state = Mutex(State())
    /// Signals a new state.
    private let change = DispatchSemaphore(value: 0)

    /// Runs an async function while the thread waits.
    static func run(_ body: @escaping @Sendable () async -> Void) {
        let watch = ReplyWatch()
        $current.withValue(watch) {
            _ = Task {
                await body()
                watch.set { $0.isOver = true }
            }
        }
        watch.wait()
    }

    /// Waits for a reply of the daemon that comes at once unless the daemon is busy.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, such as `to read its configuration`.
    ///   - ask: Calls the daemon.
    /// - Returns: The result of `ask`.
    /// - Throws: The error of `ask`.
    static func wait<Reply>(_ purpose: String, _ ask: () async throws -> Reply) async throws -> Reply {
        begin(purpose)
        defer { end() }
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
        let path = (try? SocketLocation(option: location.socket).path()).map { " at '\($0)'" } ?? ""
        begin(printing: "the answer of the daemon\(path) (Ctrl-C ends the wait)")
        defer { end() }
        return try await ask()
    }

    /// Begins to wait for a reply of the daemon that comes at once unless the daemon is busy.
    static func begin(_ purpose: String) {
        begin(
            printing: "the daemon \(purpose) for \(limit.components.seconds) s: it is busy, stopped (SIGSTOP) or hangs")
    }

    private static func begin(printing text: String) {
        current?.set { $0.reply = (.now, "xcallback: waiting for \(text)") }
    }

    /// Ends the wait: the reply is there.
    static func end() {
        current?.set { $0.reply = nil }
    }

    private func set(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        change.signal()
    }

    /// Waits until the function ends.
    private func wait() {
        var isLate = false
        while true {
            let (reply, isOver) = state.withLock { ($0.reply, $0.isOver) }
            if isOver { return }
            guard let reply, !isLate else {
                change.wait()
                continue
            }
            let rest = reply.start + Self.limit - .now
            isLate = rest <= .zero
            if isLate {
                Terminal.printError(reply.line)
            } else {
                _ = change.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1))
            }
        }
    }
}
