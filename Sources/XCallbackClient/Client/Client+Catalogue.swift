import Synchronization
package import XCallbackWire

extension Client.Route {
    /// A parameter of a route, or an item of its answer.
    public struct Parameter: Hashable, Sendable {
        /// The part of a URL that contains a parameter.
        public enum Place: String, Hashable, Sendable {
            /// In the path: a capture of the pattern.
            case path
            /// In the query.
            case query
        }

        /// Its name.
        public let name: String
        /// The part of the URL; nil for an item of an answer.
        public let place: Place?
        /// The type of its values: `int`, `number`, `bool`, `string`, `date`, `url`, `uuid`, `data`, `json`, `enum` or `list`;
        /// nil if unknown.
        public let type: String?
        /// The type of the elements of a list.
        public let elementType: String?
        /// The values of an enum.
        public let values: [String]?
        /// Whether it is required; for an item of an answer, whether it is always present.
        public let isRequired: Bool
        /// The values used if the parameter is missing.
        public let defaultValues: [String]?
        /// The minimum of a number, as text: it may have 64 bits.
        public let minimum: String?
        /// The maximum of a number, as text.
        public let maximum: String?
        /// The minimum length in characters, or in bytes for `data`.
        public let minimumLength: Int?
        /// The maximum length.
        public let maximumLength: Int?
        /// The allowed characters, such as `a-z0-9_`.
        public let charset: String?
        /// The allowed schemes of a `url`, in lower case; nil for any.
        public let schemes: [String]?
        /// The meaning, for people and for programs that choose actions.
        public let description: String?
    }

    /// The effect of an action on the world, according to its author.
    public struct Effect: Hashable, Sendable {
        /// The effect on existing data.
        public enum Kind: String, Hashable, Sendable {
            /// Nothing changes.
            case read
            /// Nothing is lost.
            case add
            /// Something may be lost.
            case change
        }

        /// The effect on existing data.
        public let kind: Kind
        /// Whether repeating a request has no further effect.
        public let isIdempotent: Bool
        /// Whether the action involves anything beyond this machine.
        public let isOpenWorld: Bool

        /// Creates an effect.
        ///
        /// - Parameters:
        ///   - kind: The effect on existing data.
        ///   - isIdempotent: Whether repeating a request has no further effect.
        ///   - isOpenWorld: Whether the action involves anything beyond this machine.
        public init(_ kind: Kind, isIdempotent: Bool = false, isOpenWorld: Bool = true) {
            self.kind = kind
            self.isIdempotent = isIdempotent
            self.isOpenWorld = isOpenWorld
        }
    }
}

extension Client {
    /// Returns the daemon's routes, in the order of its configuration.
    ///
    /// - Throws: ``ClientError``.
    public func routes() async throws -> [Route] { try await routes(beginningWith: nil) }

    /// Returns the daemon's routes whose names start with a text, in the order of its configuration.
    ///
    /// - Parameter prefix: The text, such as `notes:/li`; nil for all.
    /// - Returns: The routes.
    /// - Throws: ``ClientError``.
    package func routes(beginningWith prefix: String?) async throws -> [Route] {
        let list = try await routeValues(beginningWith: prefix)
        return try await Self.read { try [Route](reading: list) }
    }

    /// Returns the routes as JSON: an array.
    package func routeValues(
        beginningWith prefix: String? = nil, reachedFrom origin: Origin? = nil
    ) async throws -> JSONValue {
        let filter =
            (prefix.map { [JSONValue.Member("prefix", .string($0))] } ?? [])
            + (origin.map { [JSONValue.Member("origin", .string($0.rawValue))] } ?? [])
        let reply = try await call("Routes", .object(filter))
        return try await Self.read { () throws(ReplyFault) in try reply.routeList }
    }

    /// Returns the schemes of the daemon.
    package func schemes() async throws -> [String] {
        // No route has only an empty name after its scheme.
        let reply = try await call("Routes", ["prefix": .string(":")])
        return reply["schemes"]?.elements?.compactMap { $0["scheme"]?.text } ?? []
    }

    /// Watches the routes: returns all of them, and all of them again when a reload or another daemon has changed one,
    /// or its description.
    ///
    /// A lost connection is restored, however long that takes. A slow reader misses some of the lists, but never the last one.
    ///
    /// - Returns: The lists, each in the order of the configuration.
    /// - Throws: ``ClientError``.
    public func routeUpdates() async throws -> Events<[Route]> {
        try await updates([:]) { list throws(ReplyFault) in try [Route](reading: list) }
    }

    /// Watches the routes that requests of an origin can reach, as JSON arrays.
    package func routeValueUpdates(reachedFrom origin: Origin) async throws -> Events<JSONValue> {
        try await updates(["origin": .string(origin.rawValue)]) { $0 }
    }

    private func updates<List: Sendable>(
        _ parameters: JSONValue, _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> List
    ) async throws -> Events<List> {
        let last = Mutex<JSONValue?>(nil)
        return try await Events(
            feed: Feed(of: self, "Routes", parameters, .silent, readsFirst: true) { reply throws(ReplyFault) in
                let list = try reply.routeList
                let isKnown = last.withLock { known in
                    defer { known = list }
                    return known == list
                }
                return isKnown ? nil : try read(list)
            })
    }
}

extension JSONValue {
    /// The list in a reply to `Routes`.
    fileprivate var routeList: JSONValue {
        get throws(ReplyFault) {
            guard let list = self["routes"], list.elements != nil else { throw ReplyFault(path: ["routes"]) }
            return list
        }
    }
}

extension Client.Route.Parameter: ReplyValue {
    /// Reads a parameter.
    package init(reading value: JSONValue) throws(ReplyFault) {
        name = try value.read("name")
        place = (try value.read("place") as String?).flatMap(Client.Route.Parameter.Place.init)
        type = try value.read("type")
        elementType = try value.read("of")
        values = try value.read("values")
        isRequired = try value.read("required")
        defaultValues = try value.read("default")
        minimum = try value.read("min")
        maximum = try value.read("max")
        minimumLength = try value.read("min_length")
        maximumLength = try value.read("max_length")
        charset = try value.read("charset")
        schemes = try value.read("schemes")
        description = try value.read("description")
    }
}

extension Client.Route.Effect: ReplyValue {
    /// Reads an effect.
    package init(reading value: JSONValue) throws(ReplyFault) {
        guard let kind = Kind(rawValue: try value.read("kind")) else { throw ReplyFault(path: ["kind"]) }
        self.kind = kind
        isIdempotent = try value.read("idempotent")
        isOpenWorld = try value.read("open_world")
    }
}
