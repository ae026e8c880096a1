package import XCallbackURL

/// What would happen to a request, and why.
///
/// Created only by ``Pipeline/explain(_:from:origin:state:)``.
package struct Explanation: Sendable {
    /// The URL, as it would be received.
    package let url: String
    /// The process that would send it.
    package let peer: Peer
    /// How it would come in.
    package let origin: Origin
    /// The fault of the URL or of one of its callbacks, so that nothing would run.
    package let fault: CallbackError?
    /// The URL, then each redirect within the pipeline; empty after a fault.
    package let hops: [Hop]
    /// The response, as far as it is known; if a stage decides on the request, the response if that stage lets it pass.
    package let response: Response?
    /// Whether the result does not depend on a stage that decides only on a real request.
    package let isCertain: Bool
    /// The answer for each outcome.
    package let answers: [Answer]

    /// One URL on its way through the pipeline.
    package struct Hop: Sendable {
        /// The URL.
        package let url: String
        /// Its action as a path, with each segment percent-encoded.
        package let action: String
        /// The segments of its action, decoded, as routes see them.
        package let segments: [String]
        /// How it would come in.
        package let origin: Origin
        /// The routes of its scheme, the nearest first, at most ``Explanation/candidateLimit``.
        package internal(set) var candidates: [Candidate] = []
        /// How many other routes of the scheme are less near than these.
        package internal(set) var omittedCount = 0
        /// The route that answers; nil if none does.
        package internal(set) var route: Route?
        /// The captures of the route; a wildcard has one item for each segment.
        package internal(set) var captures = QueryItems()
        /// The stages of the request, in order.
        package internal(set) var stages: [StageReport] = []
        /// The parameters that the handler would get; nil if it would not be called.
        package internal(set) var parameters: QueryItems?
        /// The response to this URL; nil if that is open.
        package internal(set) var response: Response?
    }

    /// A route that could answer.
    package struct Candidate: Sendable {
        /// Whether a route answers.
        package enum Verdict: String, Sendable {
            /// It answers.
            case answers
            /// It would answer, but a more specific one does.
            case outranked
            /// It does not match.
            case differs
        }

        /// The route.
        package let route: Route
        /// Whether it answers.
        package let verdict: Verdict
        /// Why it does not; nil if it does.
        package let reason: String?
    }

    /// What a stage would do.
    package struct StageReport: Sendable {
        /// The kinds of stages.
        package enum Kind: String, Sendable {
            case middleware, policy, input, handler
        }

        /// What kind of stage it is.
        package let kind: Kind
        /// Its name in the configuration.
        package let name: String
        /// What it would do.
        package let rehearsal: Rehearsal
        /// What a middleware would change, each in a few words.
        package internal(set) var changes: [String] = []
    }

    /// A URL that the client can get.
    package struct Answer: Sendable {
        /// The outcomes of a request.
        package enum Outcome: String, Sendable {
            case success, error, cancel, redirect
        }

        /// The outcome with this answer.
        package let outcome: Outcome
        /// The URL.
        package let url: String
        /// Whether the URL is complete; otherwise the handler adds items, or an error its code and message.
        package let isComplete: Bool
    }

    /// How many routes a hop lists.
    package static let candidateLimit = 100
}
