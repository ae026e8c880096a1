import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms

/// The lines that clients cause in the log, so many of each account in a while; it lives on the event loop.
///
/// The journal drops lines of a service that writes too many: nobody should take their lines from others.
final class LogLines {
    private let logger: Logger
    private var refusals = RefusalLogs()

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether one more line may be written for an account; where it may not, a line a second says so.
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
    /// Takes a line of the log for a user.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(of userID: UInt32, _ kind: AccountClass) -> Bool {
        guard let lines: LogLines = existingResident() else { return true }
        return lines.takeLine(for: account(of: userID, kind), on: self)
    }

    /// Takes a line of the log for a request.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(for request: Request) -> Bool {
        takeLogLine(of: request.peer.userID, request.receivedOrigin.accountClass)
    }
}

extension LogBudget {
    /// That of a daemon.
    init(on loop: EventLoop) {
        self.init()
        allows = { [unowned loop] request in
            loop.assumeIsolated { $0.takeLogLine(for: request) }
        }
    }
}
