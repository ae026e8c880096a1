package import XCallbackJSON

extension Client {
    /// A route of the daemon.
    public struct Route: Hashable, Sendable {
        /// The scheme and the pattern, as in `notes:/notes/:id`.
        public let name: String
        /// The scheme.
        public let scheme: String
        /// The pattern.
        public let pattern: String
        /// Whether requests from the desktop reach it.
        public let isPublic: Bool
        /// The middleware before its handler, in order.
        public let middleware: [String]
        /// The policies before its handler, in order.
        public let policies: [String]
        /// Its handler.
        public let handler: String
        /// The name that it delivers to, or the topic that it publishes to; nil for any other route.
        public let target: String?
        /// Where the configuration says so; nil if this user may not know.
        public let place: String?
        /// A text that no other route has, and that it keeps over reloads.
        public let id: String?
        /// What a person reads in a menu.
        public let title: String?
        /// What it does, for people and for programs that choose actions.
        public let description: String?
        /// Its parameters: the captures, then what is declared besides.
        public let parameters: [Parameter]
        /// Whether no other parameter may be given.
        public let isStrict: Bool
        /// Whether `+` is a space in its query, and in the answer of an application to which it redirects.
        public let readsForms: Bool
        /// The items of a success, as the author promises or as is certain; nil if they are not known.
        public let returns: [Parameter]?
        /// What it does to the world; nil if the author says nothing.
        public let effect: Effect?
        /// What assistants call it; nil if it is not offered to them.
        public let agentName: String?
    }

    /// What reading the configuration anew has changed.
    public struct RouteChange: Hashable, Sendable {
        /// How many routes are served now.
        public let routeCount: Int
        /// The names of new routes.
        public let added: [String]
        /// The names of routes that are gone.
        public let removed: [String]
        /// The names of routes that do something else now.
        public let changed: [String]
        /// The settings beside the routes that differ, by their keys in the configuration file, such as `callbacks`.
        public let settings: [String]
        /// What is likely a mistake in the configuration.
        public let warnings: [Fault]
    }

    /// What is wrong with a configuration.
    public struct Fault: Hashable, Sendable {
        /// The file.
        public let file: String
        /// The line, from 1; nil if it is the file as a whole.
        public let line: Int?
        /// The column, from 1.
        public let column: Int?
        /// What is wrong, and what is expected.
        public let message: String
    }
}

extension Client.Route: ReplyValue {
    /// Reads a route.
    package init(reading value: JSONValue) throws(ReplyFault) {
        name = try value.read("route")
        scheme = try value.read("scheme")
        pattern = try value.read("pattern")
        isPublic = try value.read("public")
        middleware = try value.read("middleware")
        policies = try value.read("policies")
        handler = try value.read("handler")
        place = try value.read("place")
        target = try value.read("target")
        // A daemon of an earlier version tells nothing of these.
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
