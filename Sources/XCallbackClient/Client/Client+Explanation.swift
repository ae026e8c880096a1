public import XCallbackPipeline
public import XCallbackURL
package import XCallbackWire

extension Client {
    /// What would happen to a URL, and why; no stage of a route has run.
    public struct Explanation: Sendable {
        /// The URL.
        public let url: String
        /// The origin that the request would have.
        public let origin: Origin
        /// The code of the error that would certainly be the answer; nil if there is none.
        public let code: CallbackError.Code?
        /// What the request would come to, in one sentence.
        public let result: String
        /// The URL, followed by each URL to which it would be redirected within the daemon; empty if it is invalid.
        public let hops: [Hop]
        /// The likely intended names of query items that have no effect, for people.
        public let hints: [String]

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

        /// A stage of a route.
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

            /// The kind of stage.
            public let kind: Kind
            /// The name in the configuration.
            public let name: String
            /// What it would do, in a few words; nil if there is no more to say, or the caller may not see it.
            public let note: String?
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
        let code: Int? = try value.read("code")
        self.code = code.map { CallbackError.Code(rawValue: $0) }
        result = try value.read("result")
        hops = try value.read("hops")
        hints = try value.read("hints")
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

extension Client.Explanation.Stage: ReplyValue {
    /// Reads a stage.
    package init(reading value: JSONValue) throws(ReplyFault) {
        kind = try value.read("kind")
        name = try value.read("name")
        note = try value.read("note")
        command = try value.read("command")
    }
}
