/// The outgoing calls, which wait for the answers of other applications, each under a token that nobody can guess.
///
/// An application answers by opening a return URL, which holds the token. It counts once, and only from the user who
/// has called.
package struct OutgoingCalls: StageMemory {
    /// What a call waits under.
    package enum Key: Hashable, Sendable {
        /// The token in its return URLs.
        case token(String)
        /// The mark of that token, which is all that is known of the token of a call to an earlier process.
        case mark(String)
    }

    /// Return URLs of a user that no call waited for: late, repeated or forged.
    package struct Refusals: Hashable, Sendable {
        /// How many there were.
        package fileprivate(set) var count = 0
        /// Whether a call of another user waits under the token of one of them.
        package fileprivate(set) var areForeign = false
    }

    /// Is told the answer to a call; it is called while the state of the pipeline is in use.
    ///
    /// What it returns is waited for before the application is told that its answer was taken.
    package typealias Hearing = @Sendable (Response) -> Task<Void, Never>?

    /// An answer that was taken.
    struct Taken: Sendable {
        let completion: Task<Void, Never>?
    }

    private struct Call {
        let userID: UInt32
        var hear: Hearing
        var response: Response?
    }

    private var calls: [Key: Call] = [:]
    /// Makes the mark of a token, from which the token cannot be found; nil if no call waits under one.
    package var mark: (@Sendable (String) -> String)?
    /// How many return URLs were refused.
    package private(set) var refusalCount = 0
    /// Those since ``takeRefusals()``, by user.
    private var refusals: [UInt32: Refusals] = [:]

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
        begin(.token(token), of: userID) { _ in
            wake()
            return nil
        }
    }

    /// Lets a call wait.
    ///
    /// - Parameters:
    ///   - key: What it waits under.
    ///   - userID: Who has called.
    ///   - response: The answer, if it has come already.
    ///   - hear: Is told the answer, once.
    package mutating func begin(
        _ key: Key, of userID: UInt32, answered response: Response? = nil, hear: @escaping Hearing
    ) {
        calls[key] = Call(userID: userID, hear: hear, response: response)
    }

    /// Lets somebody else hear the answer to a call, if that has not come yet.
    ///
    /// - Returns: Whether there is such a call, and it still waits.
    @discardableResult
    package mutating func redirect(_ key: Key, to hear: @escaping Hearing) -> Bool {
        guard let call = calls[key], call.response == nil else { return false }
        calls[key]?.hear = hear
        return true
    }

    /// Takes the answer to a call, which is over then.
    ///
    /// - Parameter key: What it waits under.
    /// - Returns: What the application has said; nil if nothing came yet.
    package mutating func takeAnswer(to key: Key) -> Response? {
        guard let response = calls[key]?.response else { return nil }
        calls[key] = nil
        return response
    }

    /// Forgets a call that nobody waits for any more.
    package mutating func end(_ key: Key) {
        calls[key] = nil
    }

    /// Takes the refusals since the last time, by user.
    package mutating func takeRefusals() -> [UInt32: Refusals] {
        defer { refusals = [:] }
        return refusals
    }

    /// Hands an answer to the call that waits for it.
    ///
    /// - Parameters:
    ///   - token: What the return URL holds.
    ///   - userID: Who has opened it.
    ///   - response: What it says.
    /// - Returns: What is to be waited for before the application is told; nil if there is no such call of this user.
    mutating func finish(_ token: String, from userID: UInt32, with response: Response) -> Taken? {
        var key = Key.token(token)
        if calls[key] == nil, let mark { key = .mark(mark(token)) }
        guard let call = calls[key], call.userID == userID, call.response == nil else {
            refusalCount += 1
            refusals[userID, default: Refusals()].count += 1
            if let call = calls[key], call.userID != userID { refusals[userID]?.areForeign = true }
            return nil
        }
        calls[key]?.response = response
        return Taken(completion: call.hear(response))
    }
}
