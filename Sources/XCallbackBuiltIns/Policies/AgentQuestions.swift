import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// The questions that assistants cause the user to be asked; lives on the event loop.
///
/// Each user gets one question at a time. After a denied, withdrawn, or unanswered question, the action rests, so that
/// dialogs cannot wear the user down.
private final class AgentQuestions {
    /// The time that an action rests after a question that was not approved.
    private static let rest = Duration.seconds(30)

    private struct Action: Hashable {
        let userID: UInt32
        let route: UInt64

        init(_ request: Request) {
            userID = request.peer.userID
            route = request.matchedRoute?.identityHash ?? 0
        }
    }

    /// The users with an open question.
    private var asked: Set<UInt32> = []
    /// The time at which each action can be asked about again.
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
    /// Starts a question to the user on behalf of an assistant.
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

    /// Ends the question to the user.
    nonisolated func endAgentQuestion(for request: Request, isNo: Bool) {
        assumeIsolated { loop in loop.resident { AgentQuestions() }.end(request, isNo: isNo, at: loop.now) }
    }
}
