/// The outgoing calls, which wait for the answers of other applications, each under an unguessable token.
///
/// An application answers by opening a return URL, which contains the token. Each token is valid once, and only for the
/// user of the call.
package struct OutgoingCalls: StageMemory {
    /// The key of a waiting call.
    package enum Key: Hashable, Sendable {
        /// The token in its return URLs.
        case token(String)
        /// The mark of that token, for a call to an earlier process, whose token is unknown.
        case mark(String)
    }

    /// Return URLs of a user that match no call: late, repeated, or forged.
    package struct Refusals: Hashable, Sendable {
        /// The number of such URLs.
        package fileprivate(set) var count = 0
        /// Whether one of the tokens belongs to a call of another user.
        package fileprivate(set) var areForeign = false
    }

    /// Receives the answer to a call; called while the state of the pipeline is in use.
    ///
    /// The application is notified that its answer was taken after the returned work has finished.
    package typealias Hearing = @Sendable (Response) -> Task<Void, Never>?

    /// A taken answer.
    struct Taken: Sendable {
        let completion: Task<Void, Never>?
    }

    private struct Call {
        let userID: UInt32
        var hear: Hearing
        var response: Response?
    }

    private var calls: [Key: Call] = [:]
    /// Makes the mark of a token, which does not reveal the token; nil if no call waits under a mark.
    package var mark: (@Sendable (String) -> String)?
    /// How many return URLs were rejected.
    package private(set) var refusalCount = 0
    /// The rejections since ``takeRefusals()``, by user.
    private var refusals: [UInt32: Refusals] = [:]

    /// Creates an empty table.
    package init() {}

    /// The number of calls.
    package var count: Int { calls.count }

    /// Adds a waiting call.
    ///
    /// - Parameters:
    ///   - token: The token in its return URLs.
    ///   - userID: The user of the call.
    ///   - wake: Called once when ``takeAnswer(to:)`` has an answer, while the pipeline state is in use.
    package mutating func begin(_ token: String, of userID: UInt32, wake: @escaping @Sendable () -> Void) {
        begin(.token(token), of: userID) { _ in
            wake()
            return nil
        }
    }

    /// Adds a waiting call.
    ///
    /// - Parameters:
    ///   - key: The key of the call.
    ///   - userID: The user of the call.
    ///   - response: The answer, if it is already known.
    ///   - hear: Receives the answer, once.
    package mutating func begin(
        _ key: Key, of userID: UInt32, answered response: Response? = nil, hear: @escaping Hearing
    ) {
        calls[key] = Call(userID: userID, hear: hear, response: response)
    }

    /// Replaces the receiver of the answer to a call, if the answer is still pending.
    ///
    /// - Returns: Whether such a call exists and still waits.
    @discardableResult
    package mutating func redirect(_ key: Key, to hear: @escaping Hearing) -> Bool {
        guard let call = calls[key], call.response == nil else { return false }
        calls[key]?.hear = hear
        return true
    }

    /// Takes the answer to a call, which ends the call.
    ///
    /// - Parameter key: The key of the call.
    /// - Returns: The answer of the application; nil if there is none yet.
    package mutating func takeAnswer(to key: Key) -> Response? {
        guard let response = calls[key]?.response else { return nil }
        calls[key] = nil
        return response
    }

    /// Removes an abandoned call.
    package mutating func end(_ key: Key) {
        calls[key] = nil
    }

    /// Returns and resets the rejections since the last call, by user.
    package mutating func takeRefusals() -> [UInt32: Refusals] {
        defer { refusals = [:] }
        return refusals
    }

    /// Passes an answer to its waiting call.
    ///
    /// - Parameters:
    ///   - token: The token in the return URL.
    ///   - userID: The user that opened the return URL.
    ///   - response: The answer of the application.
    /// - Returns: Work to wait for before the application is notified; nil if the user has no such call.
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
