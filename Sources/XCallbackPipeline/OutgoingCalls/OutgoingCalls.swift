/// The outgoing calls, which wait for the answers of other applications, each under an unguessable token.
///
/// An application answers by opening a return URL, which contains the token. Each token is valid once, and only for the
/// user of the call.
package struct OutgoingCalls: StageMemory {
    /// Return URLs of a user that match no call: late, repeated, or forged.
    package struct Refusals: Hashable, Sendable {
        /// The number of such URLs.
        package fileprivate(set) var count = 0
        /// Whether one of the tokens belongs to a call of another user.
        package fileprivate(set) var areForeign = false
    }

    private struct Call {
        let userID: UInt32
        let wake: @Sendable () -> Void
        var response: Response?
    }

    /// The calls by token.
    private var calls: [String: Call] = [:]
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
        calls[token] = Call(userID: userID, wake: wake)
    }

    /// Takes the answer to a call, which ends the call.
    ///
    /// - Parameter token: The token of the call.
    /// - Returns: The answer of the application; nil if there is none yet.
    package mutating func takeAnswer(to token: String) -> Response? {
        guard let response = calls[token]?.response else { return nil }
        calls[token] = nil
        return response
    }

    /// Removes an abandoned call.
    package mutating func end(_ token: String) {
        calls[token] = nil
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
    /// - Returns: Whether the user has such a call, which had no answer yet.
    mutating func finish(_ token: String, from userID: UInt32, with response: Response) -> Bool {
        guard let call = calls[token], call.userID == userID, call.response == nil else {
            refusalCount += 1
            refusals[userID, default: Refusals()].count += 1
            if let call = calls[token], call.userID != userID { refusals[userID]?.areForeign = true }
            return false
        }
        calls[token]?.response = response
        call.wake()
        return true
    }
}
