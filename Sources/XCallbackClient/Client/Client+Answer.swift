package import XCallbackJSON
public import XCallbackPipeline
import XCallbackURL

extension Client {
    /// The answer to a URL.
    public struct Answer: Hashable, Sendable {
        /// Who has ended a request.
        public enum Author: String, Hashable, Sendable {
            /// The daemon: it found no route, refused the request, or got no response in time.
            case daemon
            /// The handler of the route.
            case handler
        }

        /// The answer itself: the callback of the request for this outcome, or else a URL of the daemon's own.
        public let url: String
        /// What the request has ended in.
        public let response: Response
        /// Who has ended it.
        public let author: Author
        /// The callback or redirect that the program must open; nil if there is none.
        public let open: String?
        /// What the daemon's log calls the request (`xcallback log`); nil if it was refused before it was one, and after
        /// a call of another application.
        public let id: String?
        /// Why a handler or a policy failed, for the daemon's user and root; nil if nothing did, for others, and for what
        /// has come from the desktop.
        public let cause: String?
    }
}

extension Client.Answer.Author: ReplyValue {}

extension Client.Answer: ReplyValue {
    /// Reads an answer.
    package init(reading value: JSONValue) throws(ReplyFault) {
        url = try value.read("answer")
        response = try Response(reading: value, url: url)
        author = try value.read("by")
        open = try value.read("open")
        id = try value.read("id")
        cause = try value.read("cause")
    }
}

extension Response: ReplyValue {
    /// Reads a response.
    package init(reading value: JSONValue) throws(ReplyFault) {
        try self.init(reading: value, url: try value.read("url"))
    }

    /// Reads a response whose URL, if it is a redirect, stands elsewhere.
    fileprivate init(reading value: JSONValue, url: String?) throws(ReplyFault) {
        let outcome: String = try value.read("outcome")
        switch outcome {
        case "success": self = .success(try value.read("items") ?? QueryItems())
        case "error":
            let code: Int = try value.read("code")
            self = .error(CallbackError(CallbackError.Code(rawValue: code), try value.read("message") ?? ""))
        case "cancel": self = .cancel
        case "redirect":
            do { self = .redirect(try Callback(url ?? "")) } catch { throw ReplyFault(path: ["url"]) }
        default: throw ReplyFault(path: ["outcome"])
        }
    }
}
