package import XCallbackWire

extension Client {
    /// The status of the daemon.
    public struct Status: Hashable, Sendable {
        /// The daemon itself.
        public struct Service: Hashable, Sendable {
            /// The version.
            public let version: String
            /// The process ID.
            public let processID: Int32
            /// The user ID.
            public let userID: UInt32
            /// The path of its socket.
            public let socket: String
            /// The time since it started.
            public let uptime: Duration
            /// Whether it is stopping.
            public let isStopping: Bool
            /// The number of routes in use.
            public let routeCount: Int
            /// The number of faults that prevent the last configuration from being used.
            public let faultCount: Int
        }

        /// Counts since the daemon started.
        public struct Total: Hashable, Sendable {
            /// The number of requests.
            public let requests: Int
            /// The number of requests that ended in a success.
            public let successes: Int
            /// The number of requests that ended in an error.
            public let errors: Int
            /// The number of requests that were cancelled.
            public let cancels: Int
            /// The number of requests that ended in a redirect.
            public let redirects: Int
            /// The number of accepted connections.
            public let connections: Int
            /// The number of rejected connections.
            public let refusedConnections: Int
            /// The number of times that a configuration was loaded.
            public let reloads: Int
            /// The number of times that a configuration had faults.
            public let failedReloads: Int
            /// The number of answers to calls that were rejected because they were late, repeated or forged.
            public let refusedReturns: Int
        }

        /// The latency of requests, from their arrival to their answer; the figures are accurate to an eighth.
        public struct Latency: Hashable, Sendable {
            /// Half of the requests took longer.
            public let p50: Duration
            /// One request in ten took longer.
            public let p90: Duration
            /// One request in a hundred took longer.
            public let p99: Duration
            /// One request in a thousand took longer.
            public let p999: Duration
            /// The slowest request.
            public let longest: Duration
        }

        /// A limit.
        public struct Limit: Hashable, Sendable {
            /// The name in the configuration.
            public let name: String
            /// The amount in use.
            public let used: Int
            /// The maximum.
            public let limit: Int
        }

        /// The resources that a user uses, by the way in which the requests arrive.
        public struct Account: Hashable, Sendable {
            /// The user; nil for all users together that the system does not list.
            public let userID: UInt32?
            /// The way in which the requests arrive: `socket`, `desktop` or `agent`.
            public let kind: String
            /// The amounts in use, and the limits.
            public let limits: [Limit]
        }

        /// The daemon itself.
        public let service: Service
        /// Counts since the start; nil if this user may not see them.
        public let total: Total?
        /// The latency of requests; nil if this user may not see it.
        public let latency: Latency?
        /// The limits of all users together; empty if this user may not see them.
        public let limits: [Limit]
        /// The accounts that use resources; only the caller's own if this user may not see others.
        public let accounts: [Account]
        /// The traffic of each route; empty if this user may not see it.
        public let traffic: [Traffic]
        /// The receivers; only those of the caller's user if it may not see others.
        public let receivers: [Receiver]
    }
}

extension Client.Status: ReplyValue {
    /// Reads a status.
    package init(reading value: JSONValue) throws(ReplyFault) {
        service = try value.read("service")
        total = try value.read("total")
        latency = try value.read("latency")
        limits = try value.read("limits")
        accounts = try value.read("accounts")
        // A daemon of an earlier version does not send these members.
        traffic = try value.read("traffic") ?? []
        receivers = try value.read("receivers") ?? []
    }
}

extension Client.Status.Account: ReplyValue {
    /// Reads an account.
    package init(reading value: JSONValue) throws(ReplyFault) {
        userID = try value.read("user")
        kind = try value.read("class")
        limits = try value.read("limits")
    }
}

extension Client.Status.Service: ReplyValue {
    /// Reads the description of the daemon.
    package init(reading value: JSONValue) throws(ReplyFault) {
        version = try value.read("version")
        processID = try value.read("pid")
        userID = try value.read("uid")
        socket = try value.read("socket")
        uptime = try value.read("uptime")
        isStopping = try value.read("stopping")
        routeCount = try value.read("routes")
        faultCount = try value.read("faults")
    }
}

extension Client.Status.Total: ReplyValue {
    /// Reads counts.
    package init(reading value: JSONValue) throws(ReplyFault) {
        requests = try value.read("requests")
        successes = try value.read("successes")
        errors = try value.read("errors")
        cancels = try value.read("cancels")
        redirects = try value.read("redirects")
        connections = try value.read("connections")
        refusedConnections = try value.read("refused_connections")
        reloads = try value.read("reloads")
        failedReloads = try value.read("failed_reloads")
        refusedReturns = try value.read("refused_returns")
    }
}

extension Client.Status.Latency: ReplyValue {
    /// Reads durations.
    package init(reading value: JSONValue) throws(ReplyFault) {
        p50 = try value.read("p50")
        p90 = try value.read("p90")
        p99 = try value.read("p99")
        p999 = try value.read("p999")
        longest = try value.read("longest")
    }
}

extension Client.Status.Limit: ReplyValue {
    /// Reads a limit.
    package init(reading value: JSONValue) throws(ReplyFault) {
        name = try value.read("name")
        used = try value.read("used")
        limit = try value.read("limit")
    }
}
