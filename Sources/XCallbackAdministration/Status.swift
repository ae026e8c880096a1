public import XCallbackClient
public import XCallbackRouter
package import XCallbackWire

extension Client {
    /// Returns the status of the daemon.
    ///
    /// - Throws: ``ClientError``.
    public func status() async throws -> Status { try await ask("Status") }

    /// Cancels a request that waits for its handler.
    ///
    /// - Parameter id: The ID of the request: ``Status/Waiting/id``.
    /// - Throws: ``ClientError``, for example if it has ended in the meantime.
    public func cancel(_ id: String) async throws { _ = try await call("Cancel", ["id": .string(id)]) }

    /// The status of the daemon.
    public struct Status: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The daemon itself.
        public struct Service: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The version.
            public var version: String { json.member("version") ?? "" }
            /// The process ID.
            public var processID: Int32 { json.member("pid") ?? 0 }
            /// The user ID.
            public var userID: UInt32 { json.member("uid") ?? 0 }
            /// The path of its socket.
            public var socket: String { json.member("socket") ?? "" }
            /// The time since it started.
            public var uptime: Duration { json.member("uptime") ?? .zero }
            /// Whether it is stopping.
            public var isStopping: Bool { json.member("stopping") ?? false }
            /// The number of routes in use.
            public var routeCount: Int { json.member("routes") ?? 0 }
            /// The number of faults that prevent the last configuration from being used.
            public var faultCount: Int { json.member("faults") ?? 0 }
            /// The files that are not served because they had faults at the start, in a few words; nil if there are none.
            public var unserved: String? { json.member("unserved") }
            /// Whether the files have changed since they were loaded.
            public var isOutdated: Bool { json.member("changed") ?? false }
        }

        /// Counts since the daemon started.
        public struct Total: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The number of requests.
            public var requests: Int { json.member("requests") ?? 0 }
            /// The number of requests that ended in a success.
            public var successes: Int { json.member("successes") ?? 0 }
            /// The number of requests that ended in an error.
            public var errors: Int { json.member("errors") ?? 0 }
            /// The number of requests that were cancelled.
            public var cancels: Int { json.member("cancels") ?? 0 }
            /// The number of requests that ended in a redirect.
            public var redirects: Int { json.member("redirects") ?? 0 }
            /// The number of accepted connections.
            public var connections: Int { json.member("connections") ?? 0 }
            /// The number of rejected connections.
            public var refusedConnections: Int { json.member("refused_connections") ?? 0 }
            /// The number of times that a configuration was loaded.
            public var reloads: Int { json.member("reloads") ?? 0 }
            /// The number of times that a configuration had faults.
            public var failedReloads: Int { json.member("failed_reloads") ?? 0 }
            /// The number of answers to calls that were rejected because they were late, repeated or forged.
            public var refusedReturns: Int { json.member("refused_returns") ?? 0 }
        }

        /// A limit.
        public struct Limit: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The name in the configuration.
            public var name: String { json.member("name") ?? "" }
            /// The amount in use.
            public var used: Int { json.member("used") ?? 0 }
            /// The maximum.
            public var limit: Int { json.member("limit") ?? 0 }
        }

        /// The resources that a user uses, by the way in which the requests arrive.
        public struct Account: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The user; nil for all users together that the system does not list.
            public var userID: UInt32? { json.member("user") }
            /// The way in which the requests arrive: `socket`, `desktop` or `agent`.
            public var kind: String { json.member("class") ?? "" }
            /// The amounts in use, and the limits.
            public var limits: [Limit] { json.member("limits") ?? [] }
            /// What ended programs have left behind that counts as running programs.
            public var left: [Left] { json.member("left") ?? [] }
        }

        /// What an ended program has left behind.
        public struct Left: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The scheme and the pattern of the route.
            public var route: String { json.member("route") ?? "" }
            /// The process group of the program.
            public var group: Int32 { json.member("group") ?? 0 }
            /// The scope of the service manager in which it is; nil if it is in the unit of the daemon.
            public var unit: String? { json.member("unit") }
        }

        /// The daemon itself.
        public var service: Service { Service(reading: json["service"] ?? .null) }
        /// Counts since the start; nil if this user may not see them.
        public var total: Total? { json.member("total") }
        /// The limits of all users together; empty if this user may not see them.
        public var limits: [Limit] { json.member("limits") ?? [] }
        /// The accounts that use resources; only the caller's own if this user may not see others.
        public var accounts: [Account] { json.member("accounts") ?? [] }
        /// The traffic of each route; empty if this user may not see it.
        public var traffic: [Traffic] { json.member("traffic") ?? [] }
        /// The requests that wait for their handlers; only those of the caller's user if it may not see others.
        public var requests: [Waiting] { json.member("requests") ?? [] }
        /// The receivers; only those of the caller's user if it may not see others.
        public var receivers: [Receiver] { json.member("receivers") ?? [] }
        /// The history of what ran; nil if the daemon keeps none, or if this user may not see it.
        public var history: History? { json.member("history") }

        /// What the daemon has kept since it started.
        public struct History: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The folder of the files.
            public var folder: String { json.member("folder") ?? "" }
            /// The number of entries that were written.
            public var written: Int { json.member("written") ?? 0 }
            /// The number of entries that were dropped.
            public var dropped: Int { json.member("dropped") ?? 0 }
            /// Why the last entry was dropped; nil if none was.
            public var fault: String? { json.member("fault") }
        }
    }
}

extension Client.Status {
    /// The traffic of a route since the daemon started.
    public struct Traffic: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The number of errors with a code.
        public struct CodeCount: Hashable, Sendable, ReplyObject {
            package let json: JSONValue

            /// The code; nil for all codes that are not counted individually.
            public var code: Int? { json.member("code") }
            /// The number of errors.
            public var errors: Int { json.member("errors") ?? 0 }
        }

        /// The scheme and the pattern of the route, `other` for all routes that are not counted individually; nil for
        /// requests that no route answers.
        public var route: String? { json.member("route") }
        /// The number of answered requests.
        public var requests: Int { json.member("requests") ?? 0 }
        /// The number of successes.
        public var successes: Int { json.member("successes") ?? 0 }
        /// The number of errors.
        public var errors: Int { json.member("errors") ?? 0 }
        /// The number of cancelled requests.
        public var cancels: Int { json.member("cancels") ?? 0 }
        /// The number of redirects.
        public var redirects: Int { json.member("redirects") ?? 0 }
        /// The errors by their code.
        public var codes: [CodeCount] { json.member("codes") ?? [] }
        /// The total duration of the requests.
        public var time: Duration { json.member("time") ?? .zero }
        /// The duration of the slowest request.
        public var longest: Duration { json.member("longest") ?? .zero }

        /// The average duration of a request.
        public var average: Duration { requests > 0 ? time / requests : .zero }
    }

    /// A request that waits for its handler.
    public struct Waiting: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The ID.
        public var id: String { json.member("id") ?? "" }
        /// The scheme and the pattern of the route.
        public var route: String { json.member("route") ?? "" }
        /// The origin.
        public var origin: Origin { json.member("origin") ?? .socket }
        /// Its user and its process.
        public var peer: Peer { json.member("peer") ?? Peer(userID: .max, groupID: .max, processID: 0) }
        /// How long it has waited.
        public var time: Duration { json.member("time") ?? .zero }
    }

    /// A receiver.
    public struct Receiver: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The name as which it receives.
        public var name: String { json.member("name") ?? "" }
        /// Its user and its process.
        public var peer: Peer { json.member("peer") ?? Peer(userID: .max, groupID: .max, processID: 0) }
        /// The time since it started to receive.
        public var uptime: Duration { json.member("uptime") ?? .zero }
        /// The number of requests without a response.
        public var requests: Int { json.member("requests") ?? 0 }
        /// The maximum number of requests at a time.
        public var prefetch: Int { json.member("prefetch") ?? 0 }
    }
}
