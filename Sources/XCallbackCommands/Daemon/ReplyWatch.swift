import Synchronization
import XCallbackClient

/// Reports a daemon that does not answer, once; the command continues to wait.
enum ReplyWatch {
    /// The time after which a reply is reported as late.
    private static let limit = Duration.seconds(5)
    private static let hasReported = Mutex(false)

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
        let path = (try? SocketLocation(option: location.socket).path()).map { " at '\($0)'" } ?? ""
        let alarm = alarm("the answer of the daemon\(path) (Ctrl-C ends the wait)")
        defer { alarm.cancel() }
        return try await ask()
    }

    /// Begins to wait for a reply of the daemon that comes at once unless the daemon is busy.
    ///
    /// - Parameter purpose: The purpose of the call.
    /// - Returns: The task that reports a late reply; it must be cancelled.
    static func begin(_ purpose: String) -> Task<Void, Never> {
        alarm("the daemon \(purpose) for \(limit.components.seconds) s: it is busy, stopped (SIGSTOP) or hangs")
    }

    private static func alarm(_ text: String) -> Task<Void, Never> {
        Task {
            do { try await Task.sleep(for: limit) } catch { return }
            let isFirst = hasReported.withLock { hasReported in
                defer { hasReported = true }
                return !hasReported
            }
            if isFirst { Terminal.printError("xcallback: waiting for \(text)") }
        }
    }
}
