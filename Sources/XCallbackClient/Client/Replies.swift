public import XCallbackRouter
public import XCallbackURL
package import XCallbackWire

/// A value that can be read from a reply of the daemon.
package protocol ReplyValue {
    /// Reads a value.
    ///
    /// - Throws: ``ReplyFault`` if it has another type.
    init(reading value: JSONValue) throws(ReplyFault)
}

/// A member of a reply does not match the interface.
package struct ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the members on the way to it, outermost first.
    package let path: [String]

    /// Creates a fault at a member; at the value itself without a path.
    package init(path: [String] = []) {
        self.path = path
    }

    /// The problem.
    package var description: String { "a reply whose member '\(path.joined(separator: "."))' is wrong" }
}

extension JSONValue {
    /// Reads a member of an object; a missing member is read as null.
    ///
    /// - Throws: ``ReplyFault`` if it has another type.
    package func read<Value: ReplyValue>(_ name: String) throws(ReplyFault) -> Value {
        do throws(ReplyFault) {
            return try Value(reading: self[name] ?? .null)
        } catch {
            throw ReplyFault(path: [name] + error.path)
        }
    }

    /// Returns a member of an object; nil if it is missing or has another type, as in another version of the daemon.
    package func member<Value: ReplyValue>(_ name: String) -> Value? { try? read(name) }

    /// Unwraps a required value.
    ///
    /// - Throws: ``ReplyFault`` if it is nil.
    fileprivate func wanted<Value>(_ value: Value?) throws(ReplyFault) -> Value {
        guard let value else { throw ReplyFault() }
        return value
    }
}

extension String: ReplyValue {
    /// Reads a string.
    package init(reading value: JSONValue) throws(ReplyFault) { self = try value.wanted(value.text) }
}

extension Bool: ReplyValue {
    /// Reads `true` or `false`.
    package init(reading value: JSONValue) throws(ReplyFault) { self = try value.wanted(value.truth) }
}

extension FixedWidthInteger where Self: ReplyValue {
    /// Reads an integer.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = try value.wanted(value.integer.flatMap(Self.init(exactly:)))
    }
}

extension Int: ReplyValue {}
extension UInt32: ReplyValue {}
extension Int32: ReplyValue {}

extension Duration: ReplyValue {
    /// Reads a number of seconds.
    package init(reading value: JSONValue) throws(ReplyFault) {
        guard case .number(let number) = value, let seconds = Double(number.text), abs(seconds) < 1e12 else {
            throw ReplyFault()
        }
        self = .seconds(seconds)
    }
}

extension Optional: ReplyValue where Wrapped: ReplyValue {
    /// Reads a value or `null`.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = value == .null ? nil : try Wrapped(reading: value)
    }
}

extension Array: ReplyValue where Element: ReplyValue {
    /// Reads a list.
    package init(reading value: JSONValue) throws(ReplyFault) {
        var elements: [Element] = []
        for element in try value.wanted(value.elements) { elements.append(try Element(reading: element)) }
        self = elements
    }
}

extension RawRepresentable where Self: ReplyValue, RawValue == String {
    /// Reads one of a fixed set of words.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = try value.wanted(value.text.flatMap(Self.init(rawValue:)))
    }
}

extension Origin: ReplyValue {}

extension RequestProgress: ReplyValue {
    /// Reads how far a request is.
    package init(reading value: JSONValue) throws(ReplyFault) {
        try self.init(value.read("text"), done: value.read("done"), of: value.read("total"))
    }
}

extension Peer: ReplyValue {
    /// Reads a process.
    package init(reading value: JSONValue) throws(ReplyFault) {
        try self.init(userID: value.read("uid"), groupID: value.read("gid"), processID: value.read("pid"))
    }
}

extension QueryItems: ReplyValue {
    /// Reads items.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self.init()
        for item in try value.wanted(value.elements) { append(try item.read("name"), try item.read("value")) }
    }
}

extension CallbackError {
    /// The code and the message, as members of an object.
    package var members: [JSONValue.Member] {
        [.init("code", .number(JSONNumber(code.rawValue))), .init("message", .string(message))]
    }
}

extension Client {
    /// The answer to a URL.
    public struct Answer: Hashable, Sendable, ReplyValue {
        /// The side that ended a request.
        public enum Author: String, Hashable, Sendable, ReplyValue {
            /// The daemon: it found no route, rejected the request, or got no response in time.
            case daemon
            /// The handler of the route.
            case handler
        }

        /// The answer itself: the callback for this outcome, or a URL of the daemon if the request has none.
        public let url: String
        /// The outcome of the request.
        public let response: Response
        /// The side that ended the request.
        public let author: Author
        /// The callback or redirect that the program must open; nil if there is none.
        public let open: String?
        /// The ID of the request in the daemon's log (`xcallback log`); nil for a URL that was rejected before it
        /// became a request, and after a call to another application.
        public let id: String?
        /// Why a request failed, such as the last line that a program wrote to standard error, or, after a 404 or 422, which
        /// route comes closest.
        ///
        /// Only the daemon's user and root get it; it is nil if it is unknown, and for requests of assistants.
        public let cause: String?
        /// The text that the desktop shows after a success (`notify`); nil if there is none, and for other origins.
        package let notice: String?

        /// Reads an answer.
        package init(reading value: JSONValue) throws(ReplyFault) {
            url = try value.read("answer")
            author = try value.read("by")
            response = try Self.response(in: value, url, by: author)
            open = try value.read("open")
            id = try value.read("id")
            cause = try value.read("cause")
            notice = try value.read("notice")
        }

        private static func response(
            in value: JSONValue, _ url: String, by author: Author
        ) throws(ReplyFault) -> Response {
            let outcome: String = try value.read("outcome")
            switch outcome {
            case "success": return .success(try value.read("items") ?? QueryItems())
            case "error":
                let code = CallbackError.Code(rawValue: try value.read("code"))
                return .error(
                    CallbackError(
                        code, try value.read("message") ?? "", items: try value.read("items") ?? QueryItems(),
                        by: author == .daemon ? .daemon : .application))
            case "cancel": return .cancel
            case "redirect":
                do { return .redirect(try Callback(url)) } catch { throw ReplyFault(path: ["answer"]) }
            default: throw ReplyFault(path: ["outcome"])
            }
        }
    }

    /// A request for a receiver.
    package struct ReceivedRequest: Sendable, ReplyValue {
        /// The ID of the request; it cannot be guessed.
        package let id: String
        /// The URL, as it was received.
        package let url: String
        /// The scheme and the pattern of the route.
        package let route: String
        /// The action as a path, the same for every spelling, with each segment percent-encoded.
        package let action: String
        /// The text after `#` of the URL, as received.
        package let fragment: String?
        /// The parameters, in order.
        package let parameters: QueryItems
        /// The name of the application that sent the request, as set by the application (`x-source`).
        package let source: String?
        /// The origin of the request.
        package let origin: Origin
        /// The process that sent it.
        package let peer: Peer
        /// Whether this process has sent it.
        let isNested: Bool
        /// The request as JSON, for programs.
        package let json: JSONValue

        /// Reads a request.
        package init(reading value: JSONValue) throws(ReplyFault) {
            id = try value.read("id")
            url = try value.read("url")
            route = try value.read("route")
            action = try value.read("action")
            fragment = try value.read("fragment")
            parameters = try value.read("items")
            source = try value.read("source")
            origin = try value.read("origin")
            peer = try value.read("peer")
            isNested = try value.read("nested") ?? false
            json = value
        }
    }

    /// An event for a receiver.
    package enum ReceiverEvent: Sendable {
        /// A request.
        case request(ReceivedRequest)
        /// A request ended without a response: its caller left, or it timed out.
        case ended(id: String)
        /// The daemon has gone away, and all its requests have ended.
        case away
        /// The types of the configuration differ from those that the receiver has named, in these ways.
        case differing([String])
    }

    /// An event for a subscriber.
    public enum Publication: Hashable, Sendable, ReplyValue {
        /// Items were published to a topic.
        case published(topic: String, items: QueryItems)
        /// Events were lost; the number, if known.
        case missed(Int?)

        /// Reads an event.
        package init(reading value: JSONValue) throws(ReplyFault) {
            if let count: Int = try value.read("missed") {
                self = .missed(count)
            } else {
                self = .published(topic: try value.read("topic"), items: try value.read("items") ?? QueryItems())
            }
        }
    }
}
