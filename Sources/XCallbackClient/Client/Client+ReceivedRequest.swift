public import XCallbackPipeline
public import XCallbackURL
package import XCallbackWire

extension Client {
    /// A request for a receiver.
    public struct ReceivedRequest: Sendable {
        /// The ID of the request; it cannot be guessed.
        public let id: String
        /// The URL, as it was received.
        public let url: String
        /// The scheme and the pattern of the route.
        public let route: String
        /// The action as a path, the same for every spelling, with each segment percent-encoded.
        public let action: String
        /// The text after `#` of the URL, as received.
        public let fragment: String?
        /// The user name of a URL of syntax `url`.
        public let user: String?
        /// The host of a URL of syntax `url`.
        public let host: String?
        /// The port of a URL of syntax `url`.
        public let port: String?
        /// The parameters, in order.
        public let parameters: QueryItems
        /// The name of the application that sent the request, as set by the application (`x-source`).
        public let source: String?
        /// The origin of the request.
        public let origin: Origin
        /// The process that sent it.
        public let peer: Peer
        /// The time left to respond, counted from when the request was received.
        public let limit: Duration
        /// The request as JSON, for programs.
        package let json: JSONValue
    }

    /// An event for a receiver.
    package enum Delivery: Sendable {
        /// A request.
        case request(ReceivedRequest)
        /// A request ended without a response: its caller left, or it timed out.
        case ended(id: String)
        /// The daemon has gone away, and all its requests have ended.
        case away
    }

    /// An event for a subscriber.
    public enum Publication: Hashable, Sendable {
        /// Items were published to a topic.
        case published(topic: String, items: QueryItems)
        /// Events were lost; the number, if known.
        case missed(Int?)
    }
}

extension Client.ReceivedRequest: CustomStringConvertible, CustomReflectable {
    /// The URL, the route, and the sender.
    public var description: String { "\(url), for \(route), by the \(origin.rawValue) (\(peer))" }

    /// The parts of the request that matter to its handler.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "url": url, "route": route, "action": action, "parameters": parameters,
                "source": source as Any, "origin": origin, "peer": peer, "limit": limit,
            ],
            displayStyle: .struct)
    }
}

extension Client.ReceivedRequest: ReplyValue {
    /// Reads a request.
    package init(reading value: JSONValue) throws(ReplyFault) {
        id = try value.read("id")
        url = try value.read("url")
        route = try value.read("route")
        action = try value.read("action")
        fragment = try value.read("fragment")
        user = try value.read("user")
        host = try value.read("host")
        port = try value.read("port")
        parameters = try value.read("items")
        source = try value.read("source")
        origin = try value.read("origin")
        peer = try value.read("peer")
        limit = try value.read("limit")
        json = value
    }
}

extension Client.Publication: ReplyValue {
    /// Reads an event.
    package init(reading value: JSONValue) throws(ReplyFault) {
        if let count: Int = try value.read("missed") {
            self = .missed(count)
        } else {
            self = .published(topic: try value.read("topic"), items: try value.read("items") ?? QueryItems())
        }
    }
}
