import Dispatch
import Synchronization
import XCallbackClient

/// Tells of a daemon that does not answer; the command goes on waiting.
///
/// The thread that waits for a command looks, because a timer needs a thread of its own. It looks once, after the time
/// that a reply may take, and again only if a reply is awaited then.
enum ReplyWatch {
    /// For how many seconds a reply may take until it is said to be late.
    private static let limit = 5
    /// How a command waits that has no other thread.
    static let blocking = BlockingWait(tellingAfter: .seconds(limit), tell)
    private static let current = Mutex<(start: ContinuousClock.Instant, purpose: String)?>(nil)

    /// Waits for a reply of the daemon.
    ///
    /// - Parameters:
    ///   - purpose: What the daemon is asked for: `to read its configuration`.
    ///   - ask: Asks the daemon.
    /// - Returns: What the function returns.
    /// - Throws: What the function throws.
    static func wait<Reply>(_ purpose: String, _ ask: () async throws -> Reply) async throws -> Reply {
        current.withLock { $0 = (.now, purpose) }
        defer { current.withLock { $0 = nil } }
        return try await ask()
    }

    /// Tells of a reply that has not come for as long as it may take, if one is awaited.
    private static func tell() {
        guard let (_, purpose) = current.withLock({ $0 }) else { return }
        Terminal.printError(
            "xcallback: waiting for the daemon \(purpose) for \(limit) s: it is busy, stopped (SIGSTOP) or hangs")
    }

    /// Waits until a command is over.
    ///
    /// - Parameter isOver: Is signalled then.
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
