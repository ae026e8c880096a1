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
        let wake: @Sendable () -> Void
        var response: Response?
    }

    private var calls: [String: Call] = [:]
    /// How many return URLs were refused.
    package private(set) var refusalCount = 0
    /// The last one of them.
    package private(set) var lastRefusal: Refusal?

    /// Creates a table without calls.
    package init() {}

    /// How many calls there are.
    package var count: Int { calls.count }

    /// Lets a call wait.
    ///
    /// - Parameters:
    ///   - token: What its return URLs hold.
    ///   - userID: Who has called.
    ///   - wake: Tells, once, that ``takeAnswer(to:)`` has something; it is called while the state of the pipeline is in
    ///     use.
    package mutating func begin(_ token: String, of userID: UInt32, wake: @escaping @Sendable () -> Void) {
        calls[token] = Call(userID: userID, wake: wake)
    }

    /// Takes the answer to a call, which is over then.
    ///
    /// - Parameter token: What its return URLs hold.
    /// - Returns: What the application has said; nil if nothing came yet.
    package mutating func takeAnswer(to token: String) -> Response? {
        guard let response = calls[token]?.response else { return nil }
        calls[token] = nil
        return response
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
        guard var call = calls[token], call.userID == userID, call.response == nil else {
            refusalCount += 1
            lastRefusal = Refusal(userID: userID, isForeign: calls[token].map { $0.userID != userID } ?? false)
            return false
        }
        call.response = response
        calls[token] = call
        call.wake()
        return true
    }
}
