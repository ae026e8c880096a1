import Dispatch
import Synchronization
import XCallbackClient

/// Reports a daemon that does not answer; the command continues to wait.
///
/// The thread that waits for a command checks, because a timer would need a separate thread. It checks once, after the time
/// limit of a reply, and again only if a reply is still awaited then.
enum ReplyWatch {
    /// The number of seconds after which a reply is reported as late.
    private static let limit = 5
    private static let current = Mutex<(start: ContinuousClock.Instant, purpose: String)?>(nil)

    /// Waits for a reply of the daemon.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, such as `to read its configuration`.
    ///   - ask: Calls the daemon.
    /// - Returns: The result of `ask`.
    /// - Throws: The error of `ask`.
    static func wait<Reply>(_ purpose: String, _ ask: () async throws -> Reply) async throws -> Reply {
        current.withLock { $0 = (.now, purpose) }
        defer { current.withLock { $0 = nil } }
        return try await ask()
    }

    /// Reports an awaited reply that exceeds the time limit.
    private static func tell() {
        guard let (_, purpose) = current.withLock({ $0 }) else { return }
        Terminal.printError(
            "xcallback: waiting for the daemon \(purpose) for \(limit) s: it is busy, stopped (SIGSTOP) or hangs")
    }

    /// Waits until a command ends.
    ///
    /// - Parameter isOver: The semaphore that the command signals at its end.
    static func wait(for isOver: DispatchSemaphore) {
        var rest = Duration.seconds(limit)
        while isOver.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)))) == .timedOut {
            guard let (start, _) = current.withLock({ $0 }) else { return isOver.wait() }
            rest = start + .seconds(limit) - .now
            if rest > .zero { continue }
            tell()
            return isOver.wait()
        }
    }
}
