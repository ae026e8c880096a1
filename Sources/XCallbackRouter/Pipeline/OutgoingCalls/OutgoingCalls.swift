package import XCallbackURL

/// The outgoing calls, which wait for the answers of other applications, each under an unguessable token.
///
/// An application answers by opening a return URL, which contains the token. Each token is valid once, and only for the
/// user of the call.
package struct OutgoingCalls {
    /// Return URLs of a user that match no call: late, repeated, or forged.
    package struct Refusals: Hashable, Sendable {
        /// The number of such URLs.
        package fileprivate(set) var count = 0
        /// Whether one of the tokens belongs to a call of another user.
        package fileprivate(set) var areForeign = false
    }

    private struct Call {
        let userID: UInt32
        /// The scheme of the called URL.
        let scheme: String
        let wake: @Sendable () -> Void
        var response: Response?
    }

    /// The number of ended calls whose late and repeated answers are recognized.
    private static let endedLimit = 1024

    /// The calls by token.
    private var calls: [String: Call] = [:]
    /// The last calls that have ended, by token; a call without a response got no answer.
    private var ended: [String: Call] = [:]
    /// The tokens of the ended calls, the oldest first.
    private var endedTokens: ArraySlice<String> = []
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
    ///   - scheme: The scheme of the called URL.
    ///   - wake: Called once when ``takeAnswer(to:)`` has an answer, while the calls are in use.
    package mutating func begin(
        _ token: String, of userID: UInt32, to scheme: String, wake: @escaping @Sendable () -> Void
    ) {
        calls[token] = Call(userID: userID, scheme: scheme, wake: wake)
    }

    /// Takes the answer to a call, which ends the call.
    ///
    /// - Parameter token: The token of the call.
    /// - Returns: The answer of the application; nil if there is none yet.
    package mutating func takeAnswer(to token: String) -> Response? {
        guard let response = calls[token]?.response else { return nil }
        end(token)
        return response
    }

    /// Removes a call that has ended, or was abandoned; does nothing if it is removed already.
    package mutating func end(_ token: String) {
        guard var call = calls.removeValue(forKey: token) else { return }
        // Only the fact that it was answered is needed.
        if call.response != nil { call.response = .cancel }
        ended[token] = call
        endedTokens.append(token)
        if endedTokens.count > Self.endedLimit { ended[endedTokens.removeFirst()] = nil }
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
    /// - Returns: The error for the application if no call takes the answer; nil if one has taken it.
    package mutating func finish(
        _ token: String, from userID: UInt32, with response: Response
    ) -> CallbackError? {
        let call = calls[token]
        guard let call, call.userID == userID, call.response == nil else {
            refusalCount += 1
            refusals[userID, default: Refusals()].count += 1
            if let call, call.userID != userID { refusals[userID]?.areForeign = true }
            return refusal(of: token, from: userID)
        }
        calls[token]?.response = response
        call.wake()
        return nil
    }

    private func refusal(of token: String, from userID: UInt32) -> CallbackError {
        guard let call = calls[token] ?? ended[token], call.userID == userID else {
            return CallbackError(.refused, "No call has this return URL: it is unknown, or older than the daemon.")
        }
        let reason = call.response == nil ? "is late: the call ended without it." : CallbackError.repeatedAnswer
        return CallbackError(.refused, "The answer of '\(call.scheme)' \(reason)")
    }
}

extension CallbackError {
    fileprivate static let repeatedAnswer = "is repeated: the call has its answer already."

    /// Whether it refuses the second answer of an application to a call: some answer twice, and nobody misses it.
    package var isOfRepeatedAnswer: Bool { code == .refused && message.hasSuffix(Self.repeatedAnswer) }
}
