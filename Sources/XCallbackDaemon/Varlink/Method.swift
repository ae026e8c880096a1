import XCallbackRouter
import XCallbackURL
import XCallbackWire

extension RouterInterface {
    /// The methods that the daemon implements.
    enum Method: String, CaseIterable {
        case open = "Open"
        case cancel = "Cancel"
        case explain = "Explain"
        case check = "Check"
        case routes = "Routes"
        case status = "Status"
        case monitor = "Monitor"
        case reload = "Reload"
        case receive = "Receive"
        case respond = "Respond"
        case retire = "Retire"
        case subscribe = "Subscribe"
        case publish = "Publish"
        case call = "Call"

        static let all = allCases
        /// The names of the parameters of each method.
        static let parameters = allCases.map(\.parameters)

        private var parameters: [StaticString] {
            switch self {
            case .open: ["url", "origin", "follow", "route", "source", "caller"]
            case .cancel: ["id"]
            case .explain: ["url", "origin"]
            case .routes: ["schemes", "prefix", "origin"]
            case .monitor: ["values", "route", "user", "process", "outcome"]
            case .receive: ["name", "prefetch", "nested", "key", "where", "routes"]
            case .respond: ["id", "outcome", "items", "code", "message", "progress"]
            case .retire: ["name", "key"]
            case .subscribe: ["topics"]
            case .publish: ["topic", "items"]
            case .call: ["url", "timeout", "form"]
            default: []
            }
        }

        /// Who may call a method; the parameters of a call and the configuration can narrow it further.
        enum Callers {
            case all
            /// Not over the socket for assistants.
            case users
            /// The user of the daemon, and root.
            case owner
        }

        var callers: Callers {
            switch self {
            case .open, .routes: .all
            case .cancel, .explain, .status, .monitor, .receive, .respond, .retire, .subscribe, .publish: .users
            case .check, .reload, .call: .owner
            }
        }

        /// The method as the interface offers it.
        var method: VarlinkService.Method {
            VarlinkService.Method(rawValue, requiresMore: [.monitor, .receive, .subscribe, .call].contains(self))
        }
    }
}

// MARK: - Types of parameters

extension VarlinkObject {
    /// Reads an origin; requests over a socket are never internal.
    func origin() throws(VarlinkError) -> Origin? {
        guard let value = optional("origin") else { return nil }
        let origin: Origin = try value.choice()
        guard origin != .internal else { throw value.error }
        return origin
    }

    /// Reads the timeout of a call.
    func timeout() throws(VarlinkError) -> Duration? {
        guard let value = optional("timeout") else { return nil }
        let seconds = try value.float()
        guard seconds > 0, seconds <= Double(OutgoingCall.longestTime.components.seconds) else { throw value.error }
        return .seconds(seconds)
    }

    /// Reads the routes of a receiver; nil if the call has none.
    func receivedRoutes() throws(VarlinkError) -> JSONValue? {
        guard let value = optional("routes") else { return nil }
        for element in try value.elements() {
            let route = try element.object()
            try route.check(["route", "complete", "input"])
            _ = try route.required("route").text()
            _ = try route.required("complete").truth()
            for element in try route.required("input").elements() {
                let parameter = try element.object()
                try parameter.check(["name", "type", "of", "values", "required", "min", "max"])
                for name in ["name", "type"] as [StaticString] { _ = try parameter.required(name).text() }
                _ = try parameter.optional("of")?.text()
                _ = try parameter.optional("values")?.texts()
                _ = try parameter.optional("required")?.truth()
                for name in ["min", "max"] as [StaticString] {
                    if let number = parameter.optional(name) { let _: Int = try number.integer() }
                }
            }
        }
        return try value.json()
    }

    /// Reads the progress of a receiver; nil if the call has none.
    func progress() throws(VarlinkError) -> RequestProgress? {
        guard let progress = try optional("progress")?.object() else { return nil }
        try progress.check(["text", "done", "total"])
        let text = String(decoding: try progress.required("text").text().utf8.prefix(512), as: UTF8.self)
        guard let done: Int = try progress.optional("done")?.integer(),
            let total: Int = try progress.optional("total")?.integer(), total > 0, 0...total ~= done
        else { return RequestProgress(text) }
        return RequestProgress(text, done: done, of: total)
    }

    /// Reads the response of a receiver.
    func response() throws(VarlinkError) -> Response {
        let items = try optional("items")?.items() ?? QueryItems()
        let error = try error()
        let outcome = try required("outcome")
        switch try outcome.choice() as Response.Kind {
        case .success: return .success(items)
        case .error: return .error(error)
        case .cancel: return .cancel
        case .redirect: throw outcome.error
        }
    }

    /// Reads the code and the message of an error.
    private func error() throws(VarlinkError) -> CallbackError {
        var code = CallbackError.Code.internalFailure.rawValue
        if let value = optional("code") {
            code = try value.integer()
            guard code > 0, code <= Int(Int32.max) else { throw value.error }
        }
        var message = "The application reports an error."
        if let value = optional("message") {
            message = try value.text()
            guard !message.utf8.contains(0) else { throw value.error }
        }
        return CallbackError(CallbackError.Code(rawValue: code), message)
    }
}

extension VarlinkValue {
    /// Reads items that a client may send: no name belongs to the protocol, and none contains a NUL, which no URL can.
    func items() throws(VarlinkError) -> QueryItems {
        var items = QueryItems()
        for element in try elements() {
            let item = try element.object()
            try item.check(["name", "value"])
            let name = try item.required("name").range()
            let value = try item.optional("value")?.range()
            items.append(name: name, value: value, of: item.bytes.span)
        }
        let hasZero = items.storage.bytes.span.extracting(0..<items.storage.count).withUnsafeBytes { $0.contains(0) }
        if items.hasReservedName || hasZero { throw error }
        return items
    }
}
