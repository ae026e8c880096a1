import XCallbackLinux

/// Caches which users the user database lists; lives on the loop.
///
/// A query may block, so queries run outside the loop, one at a time. A user is unknown until the query has ended.
package final class KnownUsers {
    /// The maximum numbers of cached answers and of waiting users; while the queue is full, no other user becomes known.
    private static let (answerLimit, waitingLimit) = (1024, 64)

    private let queue = WorkQueue()
    private let query: @Sendable (UInt32) -> Bool?
    private var answers: [UInt32: Bool] = [:]
    /// The users that wait for an answer; the query for the first is in progress.
    private var waiting: [UInt32] = []
    /// Whether the answers were dropped since the query in progress began.
    private var isOutdated = false

    /// Creates an empty cache.
    ///
    /// - Parameter query: Whether the user database lists an ID, or nil if that is uncertain; called outside the loop.
    package init(query: @escaping @Sendable (UInt32) -> Bool? = UserDatabase.hasUser) {
        self.query = query
    }

    /// Whether a user is known; the first call for an ID starts a query.
    ///
    /// - Parameters:
    ///   - userID: The ID of the user.
    ///   - loop: The loop of the caller.
    /// - Returns: True if the user database lists the user; false also while there is no answer.
    package func contains(_ userID: UInt32, on loop: isolated EventLoop) -> Bool {
        if let answer = answers[userID] { return answer }
        if waiting.count < Self.waitingLimit, !waiting.contains(userID) {
            waiting.append(userID)
            if waiting.count == 1 { beginQueries(on: loop) }
        }
        return false
    }

    /// Drops all answers, including that of the query in progress: the user database may have changed.
    package func reset() {
        answers = [:]
        isOutdated = true
    }

    private func beginQueries(on loop: isolated EventLoop) {
        Task.immediate(executorPreference: loop.executor) {
            while let userID = waiting.first {
                isOutdated = false
                let answer: Bool?
                do throws(SystemError) {
                    answer = try await queue.run { [query] in query(userID) }
                } catch {
                    // The user stays unknown, and the next request asks again.
                    answer = nil
                }
                if isOutdated { continue }
                waiting.removeFirst()
                if let answer { remember(userID, answer) }
            }
        }
    }

    /// Caches an answer.
    ///
    /// Unknown users are dropped first: a user namespace can have thousands of them.
    private func remember(_ userID: UInt32, _ isKnown: Bool) {
        if answers.count == Self.answerLimit { answers = answers.filter(\.value) }
        if answers.count == Self.answerLimit { answers = [:] }
        answers[userID] = isKnown
    }
}
