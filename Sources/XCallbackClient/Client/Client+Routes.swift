public import XCallbackURL
package import XCallbackWire

extension Client {
    /// A route of the daemon.
    public struct Route: Hashable, Sendable {
        /// The scheme and the pattern, such as `notes:/notes/:id`.
        public let name: String
        /// The scheme.
        public let scheme: String
        /// The pattern.
        public let pattern: String
        /// How URLs of the scheme are read.
        public let syntax: URLSyntax
        /// Whether requests from the desktop reach it.
        public let isPublic: Bool
        /// The middleware before its handler, in order.
        public let middleware: [String]
        /// The policies before its handler, in order.
        public let policies: [String]
        /// Its handler.
        public let handler: String
        /// The name that it delivers to, or the topic that it publishes to; nil for other routes.
        public let target: String?
        /// The place in the configuration; nil if this user may not see it.
        public let place: String?
        /// A text that is unique to the route and stays the same over reloads.
        public let id: String?
        /// The title in menus.
        public let title: String?
        /// The description, for people and for programs that choose actions.
        public let description: String?
        /// Its parameters: the captures, then the other declared parameters.
        public let parameters: [Parameter]
        /// Whether no other parameters are allowed.
        public let isStrict: Bool
        /// Whether `+` is a space in its query, and in the answer of an application to which it redirects.
        public let readsForms: Bool
        /// The items of a success, promised by the author or known for certain; nil if unknown.
        public let returns: [Parameter]?
        /// The effect on the world; nil if the author does not declare it.
        public let effect: Effect?
        /// The name for assistants; nil if it is not offered to them.
        public let agentName: String?
    }

    /// The changes of a reload.
    public struct RouteChange: Hashable, Sendable {
        /// The number of routes in use now.
        public let routeCount: Int
        /// The names of new routes.
        public let added: [String]
        /// The names of removed routes.
        public let removed: [String]
        /// The names of routes that have changed.
        public let changed: [String]
        /// The changed settings other than routes, by their keys in the configuration file, such as `callbacks`.
        public let settings: [String]
        /// Likely mistakes in the configuration.
        public let warnings: [Fault]
    }

    /// A fault in a configuration.
    public struct Fault: Hashable, Sendable {
        /// The file.
        public let file: String
        /// The line, starting at 1; nil for the file as a whole.
        public let line: Int?
        /// The column, starting at 1.
        public let column: Int?
        /// The fault, and the expected value.
        public let message: String
    }
}

extension Client.Route: ReplyValue {
    /// Reads a route.
    package init(reading value: JSONValue) throws(ReplyFault) {
        name = try value.read("route")
        scheme = try value.read("scheme")
        pattern = try value.read("pattern")
        syntax = URLSyntax(rawValue: try value.read("syntax") ?? "") ?? .callback
        isPublic = try value.read("public")
        middleware = try value.read("middleware")
        policies = try value.read("policies")
        handler = try value.read("handler")
        place = try value.read("place")
        target = try value.read("target")
        // A daemon of an earlier version does not send these members.
        id = try value.read("id")
        title = try value.read("title")
        description = try value.read("description")
        parameters = try value.read("input") ?? []
        isStrict = try value.read("strict") ?? false
        readsForms = try value.read("form") ?? false
        returns = try value.read("returns")
        effect = try value.read("effect")
        agentName = try value.read("agent")
    }
}

extension Client.RouteChange: ReplyValue {
    /// Reads a difference.
    package init(reading value: JSONValue) throws(ReplyFault) {
        routeCount = try value.read("routes")
        added = try value.read("added")
        removed = try value.read("removed")
        changed = try value.read("changed")
        settings = try value.read("settings") ?? []
        warnings = try value.read("warnings") ?? []
    }
}

extension Client.Fault: ReplyValue {
    /// Reads a fault.
    package init(reading value: JSONValue) throws(ReplyFault) {
        file = try value.read("file")
        line = try value.read("line")
        column = try value.read("column")
        message = try value.read("message")
    }
}

extension Client.Fault: CustomStringConvertible {
    /// The place and the message.
    public var description: String {
        let place = [file] + [line, column].compactMap { $0.map(String.init) }
        return "\(place.joined(separator: ":")): \(message)"
    }
}
