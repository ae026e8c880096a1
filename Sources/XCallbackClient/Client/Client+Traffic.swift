package import XCallbackJSON
public import XCallbackPipeline

extension Client.Status {
    /// What has become of the requests of a route since the daemon started.
    public struct Traffic: Hashable, Sendable {
        /// How many errors had a code.
        public struct CodeCount: Hashable, Sendable {
            /// The code; nil for all that are not counted one by one.
            public let code: Int?
            /// How many errors.
            public let errors: Int
        }

        /// The scheme and the pattern of the route, `other` for all that are not counted one by one; nil for requests that
        /// no route answers.
        public let route: String?
        /// How many requests were answered.
        public let requests: Int
        /// How many ended in a success.
        public let successes: Int
        /// How many ended in an error.
        public let errors: Int
        /// How many ended in a cancel.
        public let cancels: Int
        /// How many ended in a redirect.
        public let redirects: Int
        /// The errors by their code.
        public let codes: [CodeCount]
        /// How long the requests took together.
        public let time: Duration
        /// How long the one took that took longest.
        public let longest: Duration

        /// How long a request took on average.
        public var average: Duration { requests > 0 ? time / requests : .zero }
    }

    /// A client that receives.
    public struct Receiver: Hashable, Sendable {
        /// What it receives as.
        public let name: String
        /// Its user and its process.
        public let peer: Peer
        /// For how long it has received.
        public let uptime: Duration
        /// How many requests it has and has not responded to.
        public let requests: Int
        /// How many it takes at a time.
        public let prefetch: Int
    }
}

extension Client.Status.Traffic: ReplyValue {
    /// Reads what has become of requests.
    package init(reading value: JSONValue) throws(ReplyFault) {
        route = try value.read("route")
        requests = try value.read("requests")
        successes = try value.read("successes")
        errors = try value.read("errors")
        cancels = try value.read("cancels")
        redirects = try value.read("redirects")
        codes = try value.read("codes")
        time = try value.read("time")
        longest = try value.read("longest")
    }
}

extension Client.Status.Traffic.CodeCount: ReplyValue {
    /// Reads a count.
    package init(reading value: JSONValue) throws(ReplyFault) {
        code = try value.read("code")
        errors = try value.read("errors")
    }
}

extension Client.Status.Receiver: ReplyValue {
    /// Reads a receiver.
    package init(reading value: JSONValue) throws(ReplyFault) {
        name = try value.read("name")
        peer = try value.read("peer")
        uptime = try value.read("uptime")
        requests = try value.read("requests")
        prefetch = try value.read("prefetch")
    }
}
