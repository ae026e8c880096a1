public import XCallbackClient
public import XCallbackRouter
public import XCallbackURL
package import XCallbackWire

extension Client {
    /// Explains what would happen to a URL, without running anything.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin that the request would have.
    /// - Returns: The effect of each stage.
    /// - Throws: ``ClientError``.
    public func explain(_ url: String, from origin: Origin = .socket) async throws -> Explanation {
        try await Self.read { try await self.call("Explain", Self.explaining(url, origin)).read("explanation") }
    }

    /// Returns the parameters of a call that explains a URL: an object.
    package static func explaining(_ url: String, _ origin: Origin) -> JSONValue {
        ["url": .string(url), "origin": .string(origin.rawValue)]
    }

    /// What would happen to a URL, and why; no stage of a route has run.
    public struct Explanation: Hashable, Sendable, ReplyValue {
        package let json: JSONValue

        package init(reading value: JSONValue) { json = value }

        /// The URL.
        public var url: String { json.member("url") ?? "" }
        /// The origin that the request would have.
        public var origin: Origin { json.member("origin") ?? .socket }
        /// The code of the error that would certainly be the answer; nil if there is none.
        public var code: CallbackError.Code? {
            (json.member("code") as Int?).map { CallbackError.Code(rawValue: $0) }
        }
        /// What the request would come to, in one sentence.
        public var result: String { json.member("result") ?? "" }
        /// The URL, followed by each URL to which it would be redirected within the daemon; empty if it is invalid.
        public var hops: [Hop] { json.member("hops") ?? [] }
        /// The likely intended names of query items that have no effect, for people.
        public var hints: [String] { json.member("hints") ?? [] }

        /// A URL on the way to the answer.
        public struct Hop: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The URL.
            public var url: String { json.member("url") ?? "" }
            /// The action as a path, the same for every spelling, with each segment percent-encoded.
            public var action: String { json.member("action") ?? "" }
            /// The origin that the request would have.
            public var origin: Origin { json.member("origin") ?? .socket }
            /// The routes of its scheme, the best matches first.
            public var candidates: [Candidate] { json.member("candidates") ?? [] }
            /// The number of further routes that are omitted.
            public var omittedCount: Int { json.member("omitted") ?? 0 }
            /// The name of the route that answers; nil if there is none.
            public var route: String? { json.member("route") }
            /// The captures of the route.
            public var captures: QueryItems { json.member("captures") ?? QueryItems() }
            /// The stages through which the request would pass, in order.
            public var stages: [Stage] { json.member("stages") ?? [] }
        }

        /// A route that could answer.
        public struct Candidate: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// Whether a route answers.
            public enum Verdict: String, Sendable, ReplyValue {
                /// The route answers.
                case answers
                /// The route matches, but a more specific route answers.
                case outranked
                /// The route does not match.
                case differs
            }

            /// Its name.
            public var route: String { json.member("route") ?? "" }
            /// The place in the configuration; nil if the caller may not see it.
            public var place: String? { json.member("place") }
            /// Whether it answers.
            public var verdict: Verdict { json.member("verdict") ?? .differs }
            /// The reason if it does not answer.
            public var reason: String? { json.member("reason") }
        }

        /// A stage of a route.
        public struct Stage: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The kinds of stages.
            public enum Kind: String, Sendable, ReplyValue {
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
            public var kind: Kind { json.member("kind") ?? .middleware }
            /// The name in the configuration.
            public var name: String { json.member("name") ?? "" }
            /// What it would do, in a few words; nil if there is no more to say, or the caller may not see it.
            public var note: String? { json.member("note") }
            /// The program that would run, with its arguments; nil if there is none or the caller may not see it.
            public var command: [String]? { json.member("command") }
        }
    }
}
