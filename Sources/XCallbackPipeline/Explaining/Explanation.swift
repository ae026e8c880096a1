package import XCallbackURL

/// The expected result of a request, with the reasons.
///
/// Created only by ``Pipeline/explain(_:from:origin:state:)``.
package struct Explanation: Sendable {
    /// The URL of the request.
    package let url: String
    /// The process that would send the URL.
    package let peer: Peer
    /// The origin of the request.
    package let origin: Origin
    /// The fault of the URL or of one of its callbacks, which would prevent all stages.
    package let fault: CallbackError?
    /// The URL, then each redirect within the pipeline; empty after a fault.
    package let hops: [Hop]
    /// The response, as far as it is known; if a stage decides on the request, the response if that stage accepts it.
    package let response: Response?
    /// Whether the result does not depend on a stage that decides only on a real request.
    package let isCertain: Bool
    /// The answer for each outcome.
    package let answers: [Answer]

    /// One URL on its way through the pipeline.
    package struct Hop: Sendable {
        /// The URL.
        package let url: String
        /// The action of the URL as a path, with each segment percent-encoded.
        package let action: String
        /// The decoded segments of the action, as routes see them.
        package let segments: [String]
        /// The origin of the URL.
        package let origin: Origin
        /// The routes of the URL's scheme, the nearest first, at most ``Explanation/candidateLimit``.
        package internal(set) var candidates: [Candidate] = []
        /// The number of other, less near routes of the scheme.
        package internal(set) var omittedCount = 0
        /// The route that answers; nil if none does.
        package internal(set) var route: Route?
        /// The captures of the route; a wildcard has one item for each segment.
        package internal(set) var captures = QueryItems()
        /// The stages of the request, in order.
        package internal(set) var stages: [StageReport] = []
        /// The parameters that the handler would get; nil if the handler would not be called.
        package internal(set) var parameters: QueryItems?
        /// The response to this URL; nil if it is unknown.
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
        /// Whether the route answers.
        package let verdict: Verdict
        /// The reason why the route does not answer; nil if it does.
        package let reason: String?
    }

    /// The expected result of a stage.
    package struct StageReport: Sendable {
        /// The kinds of stages.
        package enum Kind: String, Sendable {
            case middleware, policy, input, handler
        }

        /// The kind of the stage.
        package let kind: Kind
        /// The name of the stage in the configuration.
        package let name: String
        /// The rehearsal of the stage.
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

    /// The maximum number of routes that a hop lists.
    package static let candidateLimit = 100
}
