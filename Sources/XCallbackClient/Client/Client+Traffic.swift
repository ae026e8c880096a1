public import XCallbackPipeline
package import XCallbackWire

extension Client.Status {
    /// The traffic of a route since the daemon started.
    public struct Traffic: Hashable, Sendable {
        /// The number of errors with a code.
        public struct CodeCount: Hashable, Sendable {
            /// The code; nil for all codes that are not counted individually.
            public let code: Int?
            /// The number of errors.
            public let errors: Int
        }

        /// The scheme and the pattern of the route, `other` for all routes that are not counted individually; nil for
        /// requests that no route answers.
        public let route: String?
        /// The number of answered requests.
        public let requests: Int
        /// The number of successes.
        public let successes: Int
        /// The number of errors.
        public let errors: Int
        /// The number of cancelled requests.
        public let cancels: Int
        /// The number of redirects.
        public let redirects: Int
        /// The errors by their code.
        public let codes: [CodeCount]
        /// The total duration of the requests.
        public let time: Duration
        /// The duration of the slowest request.
        public let longest: Duration

        /// The average duration of a request.
        public var average: Duration { requests > 0 ? time / requests : .zero }
    }

    /// A receiver.
    public struct Receiver: Hashable, Sendable {
        /// The name as which it receives.
        public let name: String
        /// Its user and its process.
        public let peer: Peer
        /// The time since it started to receive.
        public let uptime: Duration
        /// The number of requests without a response.
        public let requests: Int
        /// The maximum number of requests at a time.
        public let prefetch: Int
    }
}

extension Client.Status.Traffic: ReplyValue {
    /// Reads the traffic of a route.
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
