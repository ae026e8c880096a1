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
    private var refusals = RefusalLog()

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether one more line may be written for an account; where it may not, a line a second tells so.
    func takeLine(for account: Account, on loop: isolated EventLoop) -> Bool {
        do throws(Excess) {
            try loop.accounts.takeLogLine(for: account, at: loop.now)
            return true
        } catch {
            if let count = refusals.add(at: loop.now) {
                logger.warning(
                    "log lines are suppressed: \(error.description)", metadata: ["line.count": "\(count)"])
            }
            return false
        }
    }

    /// Whether one more line may be written for a request.
    func takeLine(for request: Request, on loop: isolated EventLoop) -> Bool {
        takeLine(for: loop.account(of: request.peer.userID, request.origin.accountClass), on: loop)
    }
}

extension LogBudget {
    /// That of a daemon.
    init(on loop: EventLoop) {
        self.init()
        allows = { [unowned loop] request in
            loop.assumeIsolated { loop in
                guard let lines: LogLines = loop.existingResident() else { return true }
                return lines.takeLine(for: request, on: loop)
            }
        }
    }
}
