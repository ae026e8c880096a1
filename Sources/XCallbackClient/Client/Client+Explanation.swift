package import XCallbackJSON
public import XCallbackPipeline
public import XCallbackURL

extension Client {
    /// What would become of a URL, and why.
    public struct Explanation: Sendable {
        /// The URL.
        public let url: String
        /// The way on which it would come in.
        public let origin: Origin
        /// The process that would send it.
        public let peer: Peer
        /// What is wrong with the URL, so that nothing would run.
        public let fault: Response?
        /// The URL, then each to which it would be redirected within the daemon.
        public let hops: [Hop]
        /// What the request would end in, as far as that is known.
        public let response: Response?
        /// Whether no stage is left whose decision only a real request shows.
        public let isCertain: Bool
        /// The answer for each outcome.
        public let answers: [Answer]
        /// What was likely meant by names of the query that have no effect, for people.
        public let hints: [String]

        /// A URL that the client could get.
        public struct Answer: Sendable {
            /// The outcome that is answered so.
            public let outcome: String
            /// The URL.
            public let url: String
            /// Whether it is the whole URL; else items or the code and the message of an error are added.
            public let isComplete: Bool
        }

        /// A URL on its way.
        public struct Hop: Sendable {
            /// The URL.
            public let url: String
            /// The action as a path, the same for every spelling, with each segment percent-encoded.
            public let action: String
            /// The way on which it would come in.
            public let origin: Origin
            /// The routes of its scheme, the nearest first.
            public let candidates: [Candidate]
            /// How many routes are farther away than these.
            public let omittedCount: Int
            /// The name of the route that answers; nil if none does.
            public let route: String?
            /// The captures of the route.
            public let captures: QueryItems
            /// The stages that the request would meet, in this order.
            public let stages: [Stage]
            /// The parameters that the handler would get; nil if it would not be asked.
            public let parameters: QueryItems?
            /// What this URL would end in; nil if that is open.
            public let response: Response?
        }

        /// A route that could answer.
        public struct Candidate: Sendable {
            /// Whether a route answers.
            public enum Verdict: String, Sendable {
                /// It answers.
                case answers
                /// It would, if there were no more specific one.
                case outranked
                /// It does not match.
                case differs
            }

            /// Its name.
            public let route: String
            /// Its place in the configuration; nil if the caller may not know.
            public let place: String?
            /// Whether it answers.
            public let verdict: Verdict
            /// Why it does not.
            public let reason: String?
        }

        /// What a stage would do.
        public struct Stage: Sendable {
            /// The kinds of stages.
            public enum Kind: String, Sendable {
                /// It sees the request before the handler, and may change it.
                case middleware
                /// It verifies the request.
                case policy
                /// It decodes the parameters that are declared.
                case input
                /// It does the action.
                case handler
            }

            /// What becomes of a request in a stage.
            public enum Verdict: String, Sendable {
                /// It goes on.
                case proceeds
                /// It ends with ``Stage/response``.
                case ends
                /// Only a real request shows it.
                case open
            }

            /// What kind of stage it is.
            public let kind: Kind
            /// What the configuration calls it.
            public let name: String
            /// What becomes of the request.
            public let verdict: Verdict
            /// What the request would end in here.
            public let response: Response?
            /// What there is to say for people.
            public let notes: [String]
            /// What a middleware would change.
            public let changes: [String]
            /// The program that would run, with its arguments; nil if there is none or the caller may not know.
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
        // A daemon of an earlier version does not tell them.
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
    /// Reads what a stage would do.
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
