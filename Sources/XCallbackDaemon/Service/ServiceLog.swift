import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL

/// The log of what clients cause; lives on the event loop.
///
/// Each account can cause a limited number of lines within a time: the journal drops lines of a service that writes too
/// many, so one user could suppress the lines of others.
final class ServiceLog {
    /// The number of accounts above which those without a line in the last second are forgotten.
    private static let spareLimit = 256

    var logger: Logger
    /// The causes of the latest failures, which most clients learn only as failures.
    let failureCauses = FailureCauses()
    /// What the limits of the accounts have suppressed.
    private var suppressed: [AccountName: EventTally] = [:]
    private var acceptFailures = EventTally()

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether an account may cause another line; if not, one line per second reports the dropped ones.
    func takeLine(of name: AccountName, on loop: isolated EventLoop) -> Bool {
        if loop.accounts.takeLogLine(of: name, at: loop.now) { return true }
        if suppressed.count >= Self.spareLimit, suppressed[name] == nil {
            suppressed = suppressed.filter { !$0.value.isDue(at: loop.now) }
        }
        if let count = suppressed[name, default: EventTally()].add(at: loop.now) {
            let limit = loop.accounts.logLineLimit
            let who = Holder.account(name).hasReachedLimit
            logger.warning(
                "log lines are suppressed: \(who): \(limit) log lines in 30 seconds (limits: log-lines).",
                metadata: ["limit": "\(limit)", "limit.setting": "limits: log-lines", "line.count": "\(count)"])
        }
        return false
    }

    /// Whether a request may cause another line.
    func takeLine(for request: Request, on loop: isolated EventLoop) -> Bool {
        takeLine(of: loop.account(of: request.peer.userID, request.receivedOrigin.accountClass).name, on: loop)
    }

    /// Logs that a connection is refused.
    func refused(_ credentials: Credentials, of account: Account, _ excess: Excess, on loop: isolated EventLoop) {
        guard takeLine(of: account.name, on: loop) else { return }
        let whose = if case .account = excess.holder { " of a user" } else { "" }
        logger.warning(
            "connection refused: too many connections\(whose)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(excess.limit)", "limit.setting": "\(excess.setting)",
            ])
    }

    /// Logs that no connection can be accepted for now.
    func acceptFailed(_ error: SystemError, at now: Duration) {
        guard let count = acceptFailures.add(at: now) else { return }
        logger.warning(
            "cannot accept connections, retrying", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    /// Logs that a connection ends because of its client's input, or because the client does not read.
    func ended(_ fault: InputFault, of peer: Peer, on loop: isolated EventLoop) {
        guard takeLine(of: loop.account(of: peer.userID, .socket).name, on: loop) else { return }
        logger.warning(
            "connection ended: \(fault.error.message)",
            metadata: ["peer.uid": "\(peer.userID)", "peer.pid": "\(peer.processID)"])
    }

    /// Logs rejected return URLs of a user: guessed tokens, or an application that answers late or twice.
    func refusedReturns(_ count: Int, ofOthers: Bool, by userID: UInt32, on loop: isolated EventLoop) {
        guard takeLine(of: loop.account(of: userID, .socket).name, on: loop) else { return }
        logger.warning(
            "rejected an answer to a call: it is late, repeated or forged",
            metadata: [
                "peer.uid": "\(userID)", "call.of-another-user": "\(ofOthers)", "refused.count": "\(count)",
            ])
    }

    /// Logs why a handler failed; most clients learn only that it failed.
    func failed(_ request: Request, _ error: any Error, on loop: isolated EventLoop) {
        failureCauses.note("\(error)", of: request)
        guard takeLine(for: request, on: loop) else { return }
        var metadata = request.logMetadata
        metadata["error"] = "\(error)"
        logger.error("handler failed", metadata: metadata)
    }
}

/// Counts events of which one line per second reports the number.
private struct EventTally {
    private var nextTime = Duration.zero
    private var count = 0

    /// Counts an event; returns the number since the last line, if the next line is due.
    mutating func add(at now: Duration) -> Int? {
        count += 1
        guard isDue(at: now) else { return nil }
        defer { count = 0 }
        nextTime = now + .seconds(1)
        return count
    }

    /// Whether the next line is due.
    func isDue(at now: Duration) -> Bool { now >= nextTime }
}

extension InputFault {
    /// The fault as an error for the client.
    var error: CallbackError {
        switch self {
        case .excess(let excess): CallbackError(.tooMany, excess.description)
        case .unfinished(let limit):
            CallbackError(.timedOut, "The message was not completed within \(limit) (limits: message-time).")
        case .descriptors: CallbackError(.malformed, "File descriptors must not be passed over this socket.")
        }
    }
}

/// The causes of the latest failures that clients see only as failures, for users who may see them.
///
/// Lives on the event loop.
final class FailureCauses {
    /// The maximum number of causes; a cause is requested shortly after the failure, or never.
    private static let limit = 64

    private var causes: [(id: RequestID, text: String)] = []

    /// Records the cause of a failure; the first cause of a request is kept.
    func note(_ text: String, of request: Request) {
        guard let id = request.id, !causes.contains(where: { $0.id == id }) else { return }
        if causes.count == Self.limit { causes.removeFirst() }
        causes.append((id, text))
    }

    /// Removes and returns the cause of a request's failure; nil if it is unknown.
    func take(_ id: RequestID?) -> String? {
        guard let index = causes.firstIndex(where: { $0.id == id }) else { return nil }
        return causes.remove(at: index).text
    }
}
