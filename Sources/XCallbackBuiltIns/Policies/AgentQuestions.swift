import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// The questions that the user is asked because of assistants; it lives on the event loop.
///
/// There is one at a time for a user, and after a no the action rests, as it does after a question that was taken back or
/// that nobody has answered: nobody is worn down by dialogs.
private final class AgentQuestions {
    /// For how long an action rests after a question without a yes.
    private static let rest = Duration.seconds(30)

    private struct Action: Hashable {
        let userID: UInt32
        let route: UInt64

        init(_ request: Request) {
            userID = request.peer.userID
            route = request.matchedRoute?.identityHash ?? 0
        }
    }

    /// The users who are asked now.
    private var asked: Set<UInt32> = []
    /// When an action may be asked about again.
    private var ends: [Action: Duration] = [:]

    func begin(_ request: Request, at now: Duration) throws(CallbackError) {
        ends = ends.filter { $0.value > now }
        let action = Action(request)
        if let end = ends[action] {
            let seconds = max((end - now).components.seconds, 1)
            throw CallbackError(
                .tooMany, "The user did not allow this action: an assistant may ask again in \(seconds) s.")
        }
        guard asked.insert(action.userID).inserted else {
            throw CallbackError(
                .tooMany, "The user already has a question from an assistant to answer: one question at a time.")
        }
    }

    func end(_ request: Request, isNo: Bool, at now: Duration) {
        let action = Action(request)
        asked.remove(action.userID)
        if isNo { ends[action] = now + Self.rest }
    }
}

extension EventLoop {
    /// Lets the user be asked because of a request of an assistant.
    ///
    /// - Throws: ``CallbackError`` 429 if the user must not be asked now.
    nonisolated func beginAgentQuestion(for request: Request) throws(CallbackError) {
        let result = assumeIsolated { loop in
            Result { () throws(CallbackError) in
                try loop.resident { AgentQuestions() }.begin(request, at: loop.now)
            }
        }
        try result.get()
    }

    /// Notes that the user is not asked any more.
    nonisolated func endAgentQuestion(for request: Request, isNo: Bool) {
        assumeIsolated { loop in loop.resident { AgentQuestions() }.end(request, isNo: isNo, at: loop.now) }
    }
}
