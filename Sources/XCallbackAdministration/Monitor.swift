import Glibc
public import XCallbackClient
public import XCallbackRouter
package import XCallbackWire

extension Client {
    /// Watches the requests and answers of the daemon.
    ///
    /// Users other than the daemon's and root see only their own. A lost connection is restored, however long that takes;
    /// then an event of the kind ``Event/Kind/missed`` without a count follows.
    ///
    /// - Parameter showsValues: Whether the values of the caller's own requests are shown; otherwise they are hidden.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    public func events(
        showingValues showsValues: Bool = false
    ) async throws -> some AsyncSequence<Event, any Error> & Sendable {
        try await events(showingValues: showsValues, where: [])
    }

    /// Watches some of the requests and answers, otherwise like ``events(showingValues:)``.
    ///
    /// - Parameters:
    ///   - showsValues: Whether the values of the caller's own requests are shown; otherwise they are hidden.
    ///   - conditions: Parameters of `Monitor` that exclude the others.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    package func events(
        showingValues showsValues: Bool, where conditions: [JSONValue.Member]
    ) async throws -> Events<Event> {
        let parameters = JSONValue.object([.init("values", .bool(showsValues))] + conditions)
        return try await events(of: "Monitor", parameters, gap: { .away }) { reply throws(ReplyFault) in
            try reply.read("event")
        }
    }

    /// An event in the daemon.
    public struct Event: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The kind of event.
        public enum Kind: String, Hashable, Sendable, ReplyValue {
            /// A request waits for its handler.
            case request
            /// A request was answered.
            case answer
            /// Events were lost: this client read too slowly, or the daemon was away.
            case missed
        }

        /// The kind of event.
        public var kind: Kind { json.member("kind") ?? .missed }
        /// The time since 1970.
        public var time: Duration { json.member("time") ?? .zero }
        /// A number that a request shares with its answer.
        public var number: Int? { json.member("number") }
        /// The ID of the request in the daemon's log.
        public var id: String? { json.member("id") }
        /// The URL of the request.
        public var url: String? { json.member("url") }
        /// The scheme and the pattern of the route.
        public var route: String? { json.member("route") }
        /// The origin of the request.
        public var origin: Origin? { json.member("origin") }
        /// The process that sent it.
        public var peer: Peer? { json.member("peer") }
        /// The outcome.
        public var outcome: String? { json.member("outcome") }
        /// The code of an error.
        public var code: Int? { json.member("code") }
        /// The answer, a URL.
        public var answer: String? { json.member("answer") }
        /// The side that ended the request.
        public var author: Answer.Author? { json.member("by") }
        /// The duration of the request.
        public var duration: Duration? { json.member("duration") }
        /// The number of lost events; nil if the daemon was away.
        public var missedCount: Int? { json.member("missed") }

        /// The event after a lost connection was restored.
        static var away: Self {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let time = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
            return Self(reading: ["kind": .string(Kind.missed.rawValue), "time": .number(JSONNumber(seconds: time))])
        }
    }
}
