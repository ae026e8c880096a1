package import XCallbackJSON
public import XCallbackPipeline
public import XCallbackURL

extension Client {
    /// What would happen to a URL, and why.
    public struct Explanation: Sendable {
        /// The URL.
        public let url: String
        /// The origin that the request would have.
        public let origin: Origin
        /// The process that would send it.
        public let peer: Peer
        /// The error in the URL, because of which nothing would run; nil without one.
        public let fault: Response?
        /// The URL, followed by each URL to which it would be redirected within the daemon.
        public let hops: [Hop]
        /// The outcome of the request, if it is known.
        public let response: Response?
        /// Whether the outcome is certain: no stage depends on a real request.
        public let isCertain: Bool
        /// The answer for each outcome.
        public let answers: [Answer]
        /// The likely intended names of query items that have no effect, for people.
        public let hints: [String]

        /// A URL that the client may get.
        public struct Answer: Sendable {
            /// The outcome for which this is the answer.
            public let outcome: String
            /// The URL.
            public let url: String
            /// Whether the URL is complete; if not, items or an error's code and message are added.
            public let isComplete: Bool
        }

        /// A URL on the way to the answer.
        public struct Hop: Sendable {
            /// The URL.
            public let url: String
            /// The action as a path, the same for every spelling, with each segment percent-encoded.
            public let action: String
            /// The origin that the request would have.
            public let origin: Origin
            /// The routes of its scheme, the best matches first.
            public let candidates: [Candidate]
            /// The number of further routes that are omitted.
            public let omittedCount: Int
            /// The name of the route that answers; nil if there is none.
            public let route: String?
            /// The captures of the route.
            public let captures: QueryItems
            /// The stages through which the request would pass, in order.
            public let stages: [Stage]
            /// The parameters that the handler would get; nil if it would not be called.
            public let parameters: QueryItems?
            /// The outcome of this URL; nil if it is unknown.
            public let response: Response?
        }

        /// A route that could answer.
        public struct Candidate: Sendable {
            /// Whether a route answers.
            public enum Verdict: String, Sendable {
                /// The route answers.
                case answers
                /// The route matches, but a more specific route answers.
                case outranked
                /// The route does not match.
                case differs
            }

            /// Its name.
            public let route: String
            /// The place in the configuration; nil if the caller may not see it.
            public let place: String?
            /// Whether it answers.
            public let verdict: Verdict
            /// The reason if it does not answer.
            public let reason: String?
        }

        /// The effect of a stage.
        public struct Stage: Sendable {
            /// The kinds of stages.
            public enum Kind: String, Sendable {
                /// Runs before the handler, and may change the request.
                case middleware
                /// Verifies the request.
                case policy
                /// Decodes the declared parameters.
                case input
                /// Performs the action.
                case handler
            }

            /// The effect of a stage on the request.
            public enum Verdict: String, Sendable {
                /// The request continues.
                case proceeds
                /// The request ends with ``Stage/response``.
                case ends
                /// Only a real request can show it.
                case open
            }

            /// The kind of stage.
            public let kind: Kind
            /// The name in the configuration.
            public let name: String
            /// The effect on the request.
            public let verdict: Verdict
            /// The outcome of the request if it ends here.
            public let response: Response?
            /// Notes for people.
            public let notes: [String]
            /// The changes that a middleware would make.
            public let changes: [String]
            /// The program that would run, with its arguments; nil if there is none or the caller may not see it.
            public let command: [String]?
        }
    }
}

extension Client.Explanation: ReplyValue {
    /// Reads an explanation.
    package init(reading value: JSONValue) throws(ReplyFault) {
        url = try value.read("url")
        origin = try value.read("origin")
        peer = try value.read("peer")
        fault = try value.read("fault")
        hops = try value.read("hops")
        response = try value.read("response")
        isCertain = try value.read("certain")
        answers = try value.read("answers")
        // A daemon of an earlier version does not send hints.
        hints = try value.read("hints") ?? []
    }
}

extension Client.Explanation.Answer: ReplyValue {
    /// Reads a possible answer.
    package init(reading value: JSONValue) throws(ReplyFault) {
        outcome = try value.read("outcome")
        url = try value.read("url")
        isComplete = try value.read("complete")
    }
}

extension Client.Explanation.Hop: ReplyValue {
    /// Reads a hop.
    package init(reading value: JSONValue) throws(ReplyFault) {
        url = try value.read("url")
        action = try value.read("action")
        origin = try value.read("origin")
        candidates = try value.read("candidates")
        omittedCount = try value.read("omitted")
        route = try value.read("route")
        captures = try value.read("captures")
        stages = try value.read("stages")
        parameters = try value.read("parameters")
        response = try value.read("response")
    }
}

extension Client.Explanation.Candidate.Verdict: ReplyValue {}

extension Client.Explanation.Candidate: ReplyValue {
    /// Reads a candidate.
    package init(reading value: JSONValue) throws(ReplyFault) {
        route = try value.read("route")
        place = try value.read("place")
        verdict = try value.read("verdict")
        reason = try value.read("reason")
    }
}

extension Client.Explanation.Stage.Kind: ReplyValue {}
extension Client.Explanation.Stage.Verdict: ReplyValue {}

extension Client.Explanation.Stage: ReplyValue {
    /// Reads a stage.
    package init(reading value: JSONValue) throws(ReplyFault) {
        kind = try value.read("kind")
        name = try value.read("name")
        verdict = try value.read("verdict")
        response = try value.read("response")
        notes = try value.read("notes")
        changes = try value.read("changes")
        command = try value.read("command")
    }
}
