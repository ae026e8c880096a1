public import XCallbackPipeline
import XCallbackURL
package import XCallbackWire

extension Client {
    /// The answer to a URL.
    public struct Answer: Hashable, Sendable {
        /// The side that ended a request.
        public enum Author: String, Hashable, Sendable {
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
    }
}

extension Client.Answer.Author: ReplyValue {}

extension Client.Answer: ReplyValue {
    /// Reads an answer.
    package init(reading value: JSONValue) throws(ReplyFault) {
        url = try value.read("answer")
        author = try value.read("by")
        response = try Response(reading: value, url: url).by(author)
        open = try value.read("open")
        id = try value.read("id")
        cause = try value.read("cause")
        notice = try value.read("notice")
    }
}

extension Response {
    /// Returns the response, with the author of an error.
    fileprivate func by(_ author: Client.Answer.Author) -> Response {
        guard case .error(let error) = self, author == .daemon else { return self }
        return .error(CallbackError(error.code, error.message, items: error.items, by: .daemon))
    }
}

extension Response: ReplyValue {
    /// Reads a response.
    package init(reading value: JSONValue) throws(ReplyFault) {
        try self.init(reading: value, url: try value.read("url"))
    }

    /// Reads a response whose URL, if it is a redirect, is in another member.
    fileprivate init(reading value: JSONValue, url: String?) throws(ReplyFault) {
        let outcome: String = try value.read("outcome")
        switch outcome {
        case "success": self = .success(try value.read("items") ?? QueryItems())
        case "error":
            let code: Int = try value.read("code")
            let items: QueryItems = try value.read("items") ?? QueryItems()
            self = .error(
                CallbackError(CallbackError.Code(rawValue: code), try value.read("message") ?? "", items: items))
        case "cancel": self = .cancel
        case "redirect":
            do { self = .redirect(try Callback(url ?? "")) } catch { throw ReplyFault(path: ["url"]) }
        default: throw ReplyFault(path: ["outcome"])
        }
    }
}
