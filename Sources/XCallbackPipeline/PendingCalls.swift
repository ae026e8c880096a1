/// The calls of other applications that wait for their answers, each under a token that nobody can guess.
///
/// An application answers by opening a return URL, which holds the token. It counts once, and only from the user who
/// has called.
package struct PendingCalls: Sendable {
    /// A return URL that no call waited for: late, repeated or forged.
    package struct Refusal: Hashable, Sendable {
        /// Who opened it.
        package let userID: UInt32
        /// Whether a call of another user waits under its token.
        package let isForeign: Bool
    }

    private struct Call {
        let userID: UInt32
        let finish: @Sendable (Response) -> Void
    }

    private var calls: [String: Call] = [:]
    /// How many return URLs were refused.
    package private(set) var refusalCount = 0
    /// The last one of them.
    package private(set) var lastRefusal: Refusal?

    /// Creates a table without calls.
    package init() {}

    /// How many calls wait.
    package var count: Int { calls.count }

    /// Lets a call wait.
    ///
    /// - Parameters:
    ///   - token: What its return URLs hold.
    ///   - userID: Who has called.
    ///   - finish: Takes the answer, at most once; it is called while the state of the pipeline is in use.
    package mutating func begin(
        _ token: String, of userID: UInt32, finish: @escaping @Sendable (Response) -> Void
    ) {
        calls[token] = Call(userID: userID, finish: finish)
    }

    /// Forgets a call that nobody waits for any more.
    package mutating func end(_ token: String) {
        calls[token] = nil
    }

    /// Hands an answer to the call that waits for it.
    ///
    /// - Parameters:
    ///   - token: What the return URL holds.
    ///   - userID: Who has opened it.
    ///   - response: What it says.
    /// - Returns: Whether there is such a call of this user.
    mutating func finish(_ token: String, from userID: UInt32, with response: Response) -> Bool {
        guard let call = calls[token], call.userID == userID else {
            refusalCount += 1
            lastRefusal = Refusal(userID: userID, isForeign: calls[token] != nil)
            return false
        }
        calls[token] = nil
        call.finish(response)
        return true
    }
}
