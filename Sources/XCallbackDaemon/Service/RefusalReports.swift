import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

/// Logs what the service refuses: at most a line each second for an account, with the number of refusals since the last one.
struct RefusalReports {
    private var connections = RefusalLogs()
    private var inputFaults = RefusalLogs()
    private var acceptFailures = RefusalLog()
    private var returns = RefusalLogs()
    private var returnCount = 0
    /// The number of error answers at the last check for rejected returns.
    private var examinedErrorCount = 0

    /// Reports a rejected connection.
    mutating func reportConnection(
        _ credentials: Credentials, of name: AccountName, _ excess: Excess, at now: Duration, to logger: Logger
    ) {
        guard let count = connections.add(of: name, at: now) else { return }
        let whose = if case .account = excess.holder { " of a user" } else { "" }
        logger.warning(
            "connection refused: too many connections\(whose)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(excess.limit)", "limit.setting": "\(excess.setting)", "refused.count": "\(count)",
            ])
    }

    /// Reports that no connection can be accepted for now.
    mutating func reportAcceptFailure(_ error: SystemError, at now: Duration, to logger: Logger) {
        guard let count = acceptFailures.add(at: now) else { return }
        logger.warning(
            "cannot accept connections, retrying", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    /// Reports that a connection ends because of its client's input, or because the client does not read.
    mutating func report(
        _ fault: InputFault, of peer: Peer, _ name: AccountName, at now: Duration, to logger: Logger
    ) {
        guard let count = inputFaults.add(of: name, at: now) else { return }
        logger.warning(
            "connection ended: \(fault.error.message)",
            metadata: [
                "peer.uid": "\(peer.userID)", "peer.pid": "\(peer.processID)", "connection.count": "\(count)",
            ])
    }

    /// Reports rejected return URLs: guessed tokens, or an application that answers late or twice.
    mutating func reportReturns(to answerer: inout RequestAnswerer, to logger: Logger, on loop: isolated EventLoop) {
        // A rejection counts as an error.
        guard answerer.answers.errors > examinedErrorCount else { return }
        examinedErrorCount = answerer.answers.errors
        let count = answerer.state[OutgoingCalls.self].refusalCount
        guard count > returnCount else { return }
        returnCount = count
        for (userID, refusals) in answerer.state[OutgoingCalls.self].takeRefusals() {
            let name = loop.account(of: userID, .socket).name
            guard let count = returns.add(refusals.count, of: name, at: loop.now) else { continue }
            logger.warning(
                "rejected an answer to a call: it is late, repeated or forged",
                metadata: [
                    "peer.uid": "\(userID)", "call.of-another-user": "\(refusals.areForeign)",
                    "refused.count": "\(count)",
                ])
        }
    }
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
