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

    /// Whether the account of a request may cause another line; if not, one line per second reports the dropped ones.
    func takeLine(for request: Request, on loop: isolated EventLoop) -> Bool {
        let name = loop.account(of: request.peer.userID, request.receivedOrigin.accountClass).name
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

extension RequestAccounts {
    /// Creates access to the accounts of a loop; used on the loop only.
    init(loggingBy lines: LogLines, on loop: isolated EventLoop) {
        self.init()
        // Stages call it on the loop only, to which these belong.
        nonisolated(unsafe) let (lines, accounts) = (lines, loop.accounts)
        mayLog = { [unowned loop] request in
            loop.assumeIsolated { lines.takeLine(for: request, on: $0) }
        }
        admit = { [unowned loop] request, number, isShared, rate, now in
            let (userID, kind) = (request.peer.userID, request.receivedOrigin.accountClass)
            do throws(Excess) {
                if isShared { return .success(try accounts.shared.admit(to: number, rate, at: now)) }
                // Without this, each request would allocate memory for the call on the loop.
                if let account = accounts.latestAccount(of: userID, kind) {
                    return .success(try account.admit(to: number, rate, at: now))
                }
            } catch {
                return .failure(error)
            }
            return loop.assumeIsolated { loop in
                Result { () throws(Excess) in try loop.account(of: userID, kind).admit(to: number, rate, at: now) }
            }
        }
    }
}
