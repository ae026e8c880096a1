import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms

/// Limits the log lines that each account can cause within a time; lives on the event loop.
///
/// The journal drops lines of a service that writes too many, so one user could suppress the lines of others.
final class LogLines {
    private let logger: Logger
    private var refusals = RefusalLogs()

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether an account may cause another line; if not, one line per second reports the dropped ones.
    func takeLine(for account: Account, on loop: isolated EventLoop) -> Bool {
        do throws(Excess) {
            try loop.accounts.takeLogLine(for: account, at: loop.now)
            return true
        } catch {
            if let count = refusals.add(of: account.name, at: loop.now) {
                logger.warning(
                    "log lines are suppressed: \(error.description)",
                    metadata: [
                        "limit": "\(error.limit)", "limit.setting": "\(error.setting)", "line.count": "\(count)",
                    ])
            }
            return false
        }
    }
}

extension EventLoop {
    /// Counts a log line against a user's limit.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(of userID: UInt32, _ kind: AccountClass) -> Bool {
        guard let lines: LogLines = existingResident() else { return true }
        return lines.takeLine(for: account(of: userID, kind), on: self)
    }

    /// Counts a log line against the limit of the request's user.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(for request: Request) -> Bool {
        takeLogLine(of: request.peer.userID, request.receivedOrigin.accountClass)
    }
}

extension LogBudget {
    /// Creates the limits of a daemon.
    init(on loop: EventLoop) {
        self.init()
        allows = { [unowned loop] request in
            loop.assumeIsolated { $0.takeLogLine(for: request) }
        }
    }
}
