import Glibc
package import XCallbackJSON
public import XCallbackPipeline

extension Client {
    /// Something that happens in the daemon.
    public struct Event: Hashable, Sendable {
        /// What has happened.
        public enum Kind: String, Hashable, Sendable {
            /// A request waits for its handler.
            case request
            /// A request was answered.
            case answer
            /// Events were left out: this client read too slowly, or the daemon was away.
            case missed
        }

        /// What has happened.
        public let kind: Kind
        /// When, since 1970.
        public let time: Duration
        /// The same for a request and its answer.
        public let number: Int?
        /// What the daemon's log calls the request.
        public let id: String?
        /// The URL of the request.
        public let url: String?
        /// The scheme and the pattern of the route.
        public let route: String?
        /// The way on which the request came in.
        public let origin: Origin?
        /// The process that sent it.
        public let peer: Peer?
        /// What it ended in.
        public let outcome: String?
        /// The code of an error.
        public let code: Int?
        /// The answer, a URL.
        public let answer: String?
        /// Who has ended the request.
        public let author: Answer.Author?
        /// How long it took.
        public let duration: Duration?
        /// How many events were left out; nil if the daemon was away.
        public let missedCount: Int?
        /// All of it, for programs.
        package let json: JSONValue
    }
}

extension Client.Event {
    /// What tells that the connection was lost, and is there again.
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
