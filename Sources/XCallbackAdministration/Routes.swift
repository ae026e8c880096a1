import Synchronization
public import XCallbackClient
public import XCallbackURL
package import XCallbackWire

extension Client {
    /// A route of the daemon.
    public struct CatalogueRoute: Hashable, Sendable, ReplyValue {
        package let json: JSONValue

        package init(reading value: JSONValue) { json = value }

        /// The scheme and the pattern, such as `notes:/notes/:id`.
        public var name: String { json.member("route") ?? "" }
        /// The scheme.
        public var scheme: String { json.member("scheme") ?? "" }
        /// The pattern.
        public var pattern: String { json.member("pattern") ?? "" }
        /// How URLs of the scheme are read.
        public var syntax: URLSyntax { URLSyntax(rawValue: json.member("syntax") ?? "") ?? .callback }
        /// Whether requests from the desktop reach it.
        public var isPublic: Bool { json.member("public") ?? false }
        /// The middleware before its handler, in order.
        public var middleware: [String] { json.member("middleware") ?? [] }
        /// The policies before its handler, in order.
        public var policies: [String] { json.member("policies") ?? [] }
        /// Its handler.
        public var handler: String { json.member("handler") ?? "" }
        /// The name that it delivers to, or the topic that it publishes to; nil for other routes.
        public var target: String? { json.member("target") }
        /// The place in the configuration; nil if this user may not see it.
        public var place: String? { json.member("place") }
        /// A text that is unique to the route and stays the same over reloads.
        public var id: String? { json.member("id") }
        /// The title in menus.
        public var title: String? { json.member("title") }
        /// The description, for people and for programs that choose actions.
        public var description: String? { json.member("description") }
        /// Its parameters: the captures, then the other declared parameters.
        public var parameters: [Parameter] { json.member("input") ?? [] }
        /// Whether no other parameters are allowed.
        public var isStrict: Bool { json.member("strict") ?? false }
        /// Whether `+` is a space in its query, and in the answer of an application to which it redirects.
        public var readsForms: Bool { json.member("form") ?? false }
        /// The items of a success, promised by the author or known for certain; nil if unknown.
        public var returns: [Parameter]? { json.member("returns") }
        /// The effect on the world; nil if the author does not declare it.
        public var effect: Effect? { json.member("effect") }
        /// The name for assistants; nil if it is not offered to them.
        public var agentName: String? { json.member("agent") }
        /// Whether the user is asked before it runs.
        package var asks: Bool { json.member("asks") ?? false }
    }
}

extension Client.CatalogueRoute {
    /// A parameter of a route, or an item of its answer.
    public struct Parameter: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The part of a URL that contains a parameter.
        public enum Place: String, Hashable, Sendable, ReplyValue {
            /// In the path: a capture of the pattern.
            case path
            /// In the query.
            case query
        }

        /// Its name.
        public var name: String { json.member("name") ?? "" }
        /// The part of the URL; nil for an item of an answer.
        public var place: Place? { json.member("place") }
        /// The type of its values: `int`, `number`, `bool`, `string`, `date`, `url`, `uuid`, `data`, `file`, `json`, `enum` or
        /// `list`; nil if unknown.
        public var type: String? { json.member("type") }
        /// The type of the elements of a list.
        public var elementType: String? { json.member("of") }
        /// The values of an enum.
        public var values: [String]? { json.member("values") }
        /// Whether it is required; for an item of an answer, whether it is always present.
        public var isRequired: Bool { json.member("required") ?? false }
        /// The values used if the parameter is missing.
        public var defaultValues: [String]? { json.member("default") }
        /// The minimum of a number, as text: it may have 64 bits.
        public var minimum: String? { json.member("min") }
        /// The maximum of a number, as text.
        public var maximum: String? { json.member("max") }
        /// The minimum length in characters, or in bytes for `data`.
        public var minimumLength: Int? { json.member("min_length") }
        /// The maximum length.
        public var maximumLength: Int? { json.member("max_length") }
        /// The allowed characters, such as `a-z0-9_`.
        public var charset: String? { json.member("charset") }
        /// The allowed schemes of a `url`, in lower case; nil for any.
        public var schemes: [String]? { json.member("schemes") }
        /// The meaning, for people and for programs that choose actions.
        public var description: String? { json.member("description") }
        /// Whether no history, no log, no notification and no plain field may have its values.
        public var isSecret: Bool { json.member("secret") ?? false }

        /// The type and the constraints of its values, which the daemon checks, too; nil if the type is unknown.
        package var rule: ParameterRule? {
            let name = elementType ?? type ?? ""
            guard let type = name == "enum" ? .enumeration(values ?? []) : ParameterType(name: name) else { return nil }
            var rule = ParameterRule(type: type)
            rule.minimum = minimum.flatMap { ParameterRule.Bound($0) }
            rule.maximum = maximum.flatMap { ParameterRule.Bound($0) }
            (rule.minimumLength, rule.maximumLength) = (minimumLength, maximumLength)
            rule.charset = charset.flatMap { try? ParameterCharset($0) }
            rule.schemes = schemes
            return rule
        }
    }

    /// The effect of an action on the world, according to its author.
    public struct Effect: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The effect on existing data.
        public enum Kind: String, Hashable, Sendable, ReplyValue {
            /// Nothing changes.
            case read
            /// Nothing is lost.
            case add
            /// Something may be lost.
            case change
        }

        /// The effect on existing data.
        public var kind: Kind { json.member("kind") ?? .change }
        /// Whether repeating a request has no further effect.
        public var isIdempotent: Bool { json.member("idempotent") ?? false }
        /// Whether the action involves anything beyond this machine.
        public var isOpenWorld: Bool { json.member("open_world") ?? true }
    }
}

extension Client {
    /// Returns the daemon's routes, in the order of its configuration.
    ///
    /// - Throws: ``ClientError``.
    public func routes() async throws -> [CatalogueRoute] { try await routes(beginningWith: nil) }

    /// Returns the routes whose names start with a text, such as `notes:/li`, and that requests of an origin reach; nil for
    /// all.
    package func routes(beginningWith prefix: String?, reachedFrom origin: Origin? = nil) async throws
        -> [CatalogueRoute]
    {
        try await Self.read { try await call("Routes", Self.filter(prefix, origin)).read("routes") }
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
    public func routeUpdates() async throws -> some AsyncSequence<[CatalogueRoute], any Error> & Sendable {
        try await routeUpdates(reachedFrom: nil)
    }

    /// Watches the routes that requests of an origin can reach.
    package func routeUpdates(reachedFrom origin: Origin?) async throws -> Events<[CatalogueRoute]> {
        let last = Mutex<[CatalogueRoute]?>(nil)
        return try await events(of: "Routes", Self.filter(nil, origin), readsFirst: true) { reply throws(ReplyFault) in
            let routes: [CatalogueRoute] = try reply.read("routes")
            return last.withLock { last in
                defer { last = routes }
                return last == routes ? nil : routes
            }
        }
    }

    private static func filter(_ prefix: String?, _ origin: Origin?) -> JSONValue {
        let origin = origin?.rawValue
        return .object(.init(present: ["prefix": prefix.map { .string($0) }, "origin": origin.map { .string($0) }]))
    }
}
