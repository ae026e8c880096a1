import Glibc
public import XCallbackPipeline
package import XCallbackWire

extension Client {
    /// An event in the daemon.
    public struct Event: Hashable, Sendable {
        /// The kind of event.
        public enum Kind: String, Hashable, Sendable {
            /// A request waits for its handler.
            case request
            /// A request was answered.
            case answer
            /// Events were lost: this client read too slowly, or the daemon was away.
            case missed
        }

        /// The kind of event.
        public let kind: Kind
        /// The time since 1970.
        public let time: Duration
        /// A number that a request shares with its answer.
        public let number: Int?
        /// The ID of the request in the daemon's log.
        public let id: String?
        /// The URL of the request.
        public let url: String?
        /// The scheme and the pattern of the route.
        public let route: String?
        /// The origin of the request.
        public let origin: Origin?
        /// The process that sent it.
        public let peer: Peer?
        /// The outcome.
        public let outcome: String?
        /// The code of an error.
        public let code: Int?
        /// The answer, a URL.
        public let answer: String?
        /// The side that ended the request.
        public let author: Answer.Author?
        /// The duration of the request.
        public let duration: Duration?
        /// The number of lost events; nil if the daemon was away.
        public let missedCount: Int?
        /// The event as JSON, for programs.
        package let json: JSONValue
    }
}

extension Client.Event {
    /// The event after a lost connection was restored.
    static var away: Self {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        return Self(
            kind: .missed, time: time, number: nil, id: nil, url: nil, route: nil, origin: nil, peer: nil, outcome: nil,
            code: nil, answer: nil, author: nil, duration: nil, missedCount: nil,
            json: ["kind": .string(Kind.missed.rawValue), "time": .number(JSONNumber(seconds: time))])
    }
}

extension Client.Event.Kind: ReplyValue {}

extension Client.Event: ReplyValue {
    /// Reads an event.
    package init(reading value: JSONValue) throws(ReplyFault) {
        kind = try value.read("kind")
        time = try value.read("time")
        number = try value.read("number")
        id = try value.read("id")
        url = try value.read("url")
        route = try value.read("route")
        origin = try value.read("origin")
        peer = try value.read("peer")
        outcome = try value.read("outcome")
        code = try value.read("code")
        answer = try value.read("answer")
        author = try value.read("by")
        duration = try value.read("duration")
        missedCount = try value.read("missed")
        json = value
    }
}
