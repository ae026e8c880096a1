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
    func takeLine(for name: AccountName, on loop: isolated EventLoop) -> Bool {
        if loop.accounts.takeLogLine(of: name, at: loop.now) { return true }
        let limit = loop.accounts.logLineLimit
        if let count = refusals.add(of: name, at: loop.now) {
            let who = Holder.account(name).hasReachedLimit
            logger.warning(
                "log lines are suppressed: \(who): \(limit) log lines in 30 seconds (limits: log-lines).",
                metadata: ["limit": "\(limit)", "limit.setting": "limits: log-lines", "line.count": "\(count)"])
        }
        return false
    }
}

extension EventLoop {
    /// Counts a log line against a user's limit.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(of userID: UInt32, _ kind: AccountClass) -> Bool {
        guard let lines: LogLines = existingResident() else { return true }
        return lines.takeLine(for: account(of: userID, kind).name, on: self)
    }

    /// Counts a log line against the limit of the request's user.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(for request: Request) -> Bool {
        takeLogLine(of: request.peer.userID, request.receivedOrigin.accountClass)
    }
}

extension RequestAccounts {
    /// Creates access to the accounts of a loop.
    init(on loop: EventLoop) {
        self.init()
        mayLog = { [unowned loop] request in
            loop.assumeIsolated { $0.takeLogLine(for: request) }
        }
        admit = { [unowned loop] request, number, rate, now in
            loop.assumeIsolated { loop in
                let account =
                    request.map { loop.account(of: $0.peer.userID, $0.receivedOrigin.accountClass) }
                    ?? loop.accounts.shared
                return Result { () throws(Excess) in try account.admit(to: number, rate, at: now) }
            }
        }
    }
}
