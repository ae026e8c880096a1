package import XCallbackURL

/// What would become of a request, and why.
///
/// It is made by ``Pipeline/explain(_:from:origin:state:)``, which does nothing else.
package struct Explanation: Sendable {
    /// The URL, as it would be received.
    package let url: String
    /// The process that would send it.
    package let peer: Peer
    /// The way on which it would come in.
    package let origin: Origin
    /// What is wrong with the URL or with one of its callbacks, so that nothing would run.
    package let fault: CallbackError?
    /// The URL, then each to which it would be redirected within the pipeline; empty after a fault.
    package let hops: [Hop]
    /// What the request would end in, as far as that is known; if a stage decides on it, how it would if that lets it.
    package let response: Response?
    /// Whether no stage is left whose decision only a real request shows.
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
        /// The way on which it would come in.
        package let origin: Origin
        /// The routes of its scheme, the nearest first, at most ``Explanation/candidateLimit``.
        package internal(set) var candidates: [Candidate] = []
        /// How many routes of the scheme are farther away than these.
        package internal(set) var omittedCount = 0
        /// The route that answers; nil if none does.
        package internal(set) var route: Route?
        /// The captures of the route; a wildcard has an item for each segment.
        package internal(set) var captures = QueryItems()
        /// The stages that the request would meet, in this order.
        package internal(set) var stages: [StageReport] = []
        /// The parameters that the handler would get; nil if it would not be asked.
        package internal(set) var parameters: QueryItems?
        /// What this URL would end in; nil if that is open.
        package internal(set) var response: Response?
    }

    /// A route that could answer.
    package struct Candidate: Sendable {
        /// Whether it does.
        package enum Verdict: String, Sendable {
            /// It answers.
            case answers
            /// It would, if there were no more specific one.
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
        /// What the configuration calls it.
        package let name: String
        /// What it would do.
        package let rehearsal: Rehearsal
        /// What a middleware would change, each in a few words for people.
        package internal(set) var changes: [String] = []
    }

    /// A URL that the client could get.
    package struct Answer: Sendable {
        /// The outcomes of a request.
        package enum Outcome: String, Sendable {
            case success, error, cancel, redirect
        }

        /// The outcome that is answered so.
        package let outcome: Outcome
        /// The URL.
        package let url: String
        /// Whether it is the whole URL; else the handler adds items, or an error its code and message.
        package let isComplete: Bool
    }

    /// How many routes a hop tells of.
    package static let candidateLimit = 100
}
