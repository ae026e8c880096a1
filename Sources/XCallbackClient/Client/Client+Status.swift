package import XCallbackJSON

extension Client {
    /// How the daemon does.
    public struct Status: Hashable, Sendable {
        /// The daemon itself.
        public struct Service: Hashable, Sendable {
            /// Its version.
            public let version: String
            /// Its process.
            public let processID: Int32
            /// Its user.
            public let userID: UInt32
            /// The path of its socket.
            public let socket: String
            /// For how long it has run.
            public let uptime: Duration
            /// Whether it is stopping.
            public let isStopping: Bool
            /// How many routes it serves.
            public let routeCount: Int
            /// How many faults keep the configuration that was read last from being served.
            public let faultCount: Int
        }

        /// What has happened since the daemon started.
        public struct Total: Hashable, Sendable {
            /// How many requests came in.
            public let requests: Int
            /// How many ended in a success.
            public let successes: Int
            /// How many ended in an error.
            public let errors: Int
            /// How many ended in a cancel.
            public let cancels: Int
            /// How many ended in a redirect.
            public let redirects: Int
            /// How many clients have connected.
            public let connections: Int
            /// How many clients were turned away.
            public let refusedConnections: Int
            /// How often a configuration was loaded.
            public let reloads: Int
            /// How often one had faults.
            public let failedReloads: Int
            /// How many answers to calls were refused, as they were late, repeated or forged.
            public let refusedReturns: Int
        }

        /// How long requests took, from their arrival to their answer; the figures are right to an eighth.
        public struct Latency: Hashable, Sendable {
            /// Half of them took longer.
            public let p50: Duration
            /// A tenth of them took longer.
            public let p90: Duration
            /// One in a hundred took longer.
            public let p99: Duration
            /// One in a thousand took longer.
            public let p999: Duration
            /// The one that took longest.
            public let longest: Duration
        }

        /// A limit.
        public struct Limit: Hashable, Sendable {
            /// What it is called in the configuration.
            public let name: String
            /// How much of it is used.
            public let used: Int
            /// How much there may be.
            public let limit: Int
        }

        /// What a user holds of the daemon, by how its requests come.
        public struct Account: Hashable, Sendable {
            /// The user; nil for those together whom the system does not know.
            public let userID: UInt32?
            /// How the requests come: `socket`, `desktop` or `agent`.
            public let kind: String
            /// How much it holds, and may hold.
            public let limits: [Limit]
        }

        /// The daemon itself.
        public let service: Service
        /// What has happened; nil if this user may not know.
        public let total: Total?
        /// How long requests took; nil if this user may not know.
        public let latency: Latency?
        /// The limits of all users together; none if this user may not know.
        public let limits: [Limit]
        /// Who holds something; the caller's own accounts alone if this user may not know more.
        public let accounts: [Account]
        /// What has become of the requests of each route; none if this user may not know.
        public let traffic: [Traffic]
        /// The clients that receive; those of the caller's own user alone if it may not know more.
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
        // A daemon of an earlier version does not tell them.
        traffic = try value.read("traffic") ?? []
        receivers = try value.read("receivers") ?? []
    }
}

extension Client.Status.Account: ReplyValue {
    /// Reads what a user holds.
    package init(reading value: JSONValue) throws(ReplyFault) {
        userID = try value.read("user")
        kind = try value.read("class")
        limits = try value.read("limits")
    }
}

extension Client.Status.Service: ReplyValue {
    /// Reads what the daemon is.
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
