import XCallbackBytes
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

// The parameters of the methods of `RouterInterface`. A test compares them with its description.

/// The parameters of `Open`.
struct OpenParameters {
    /// The message.
    let bytes: [UInt8]
    /// The URL in the message, so that it is not copied.
    let url: Range<Int>
    let origin: Origin?
    let follows: Bool
    let route: String?

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["url", "origin", "follow", "route"])
        bytes = parameters.bytes
        url = try parameters.required("url").range()
        origin = try parameters.origin()
        follows = try parameters.optional("follow")?.truth() ?? false
        route = try parameters.optional("route")?.text()
    }
}

/// The parameters of `Call`.
struct CallParameters {
    let url: String
    let timeout: Duration?
    let readsForm: Bool

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["url", "timeout", "form"])
        url = try parameters.required("url").text()
        if let value = parameters.optional("timeout") {
            let seconds = try value.float()
            let longest = Double(OutgoingCall.longestTime.components.seconds)
            guard seconds > 0, seconds <= longest else { throw value.error }
            timeout = .seconds(seconds)
        } else {
            timeout = nil
        }
        readsForm = try parameters.optional("form")?.truth() ?? false
    }
}

/// The parameters of `Explain`.
struct ExplainParameters {
    let url: String
    let origin: Origin?

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["url", "origin"])
        url = try parameters.required("url").text()
        origin = try parameters.origin()
    }
}

/// The parameters of `Routes`.
struct RoutesParameters {
    let schemes: [String]?
    let prefix: String?
    let origin: Origin?

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["schemes", "prefix", "origin"])
        schemes = try parameters.optional("schemes")?.texts()
        prefix = try parameters.optional("prefix")?.text()
        origin = try parameters.origin()
    }
}

/// The parameters of `Monitor`.
struct MonitorParameters {
    let showsValues: Bool
    let filter: EventFilter

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["values", "route", "user", "process", "outcome"])
        showsValues = try parameters.optional("values")?.truth() ?? false
        filter = EventFilter(
            route: try parameters.optional("route")?.text(), userID: try parameters.optional("user")?.integer(),
            processID: try parameters.optional("process")?.integer(),
            outcome: try parameters.optional("outcome")?.choice())
    }
}

/// The parameters of `Receive`.
struct ReceiveParameters {
    /// The maximum number of concurrent requests of a client.
    private static let prefetchLimit = 64
    /// The maximum length of a key in bytes.
    private static let keyLimit = 64

    let name: String
    let prefetch: Int
    let key: String?
    /// The values that a request must have.
    let conditions: QueryItems

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["name", "prefetch", "key", "where"])
        name = try parameters.required("name").text()
        conditions = try parameters.optional("where")?.items() ?? QueryItems()
        let count = parameters.optional("prefetch")
        prefetch = try count?.integer() ?? 1
        if let count, !(1...Self.prefetchLimit).contains(prefetch) { throw count.error }
        let text = parameters.optional("key")
        key = try text?.text()
        if let text, let key, key.utf8.count > Self.keyLimit { throw text.error }
    }
}

/// The parameters of `Retire`.
struct RetireParameters {
    let name: String
    let key: String

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["name", "key"])
        name = try parameters.required("name").text()
        key = try parameters.required("key").text()
    }
}

/// The parameters of `Respond`.
struct RespondParameters {
    private enum Outcome: String {
        case success, error, cancel
    }

    /// Nil for a text that is no token.
    let id: Token?
    let response: Response

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["id", "outcome", "items", "code", "message"])
        id = Token(parameters.bytes.span.extracting(try parameters.required("id").range()))
        let outcome: Outcome = try parameters.required("outcome").choice()
        let items = try parameters.optional("items")?.items() ?? QueryItems()
        let error = try parameters.error()
        switch outcome {
        case .success: response = .success(items)
        case .error: response = .error(error)
        case .cancel: response = .cancel
        }
    }
}

/// The parameters of `Subscribe`.
struct SubscribeParameters {
    /// The maximum number of topics in one call.
    private static let topicLimit = 256

    let topics: Set<String>

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["topics"])
        let value = try parameters.required("topics")
        let texts = try value.texts()
        guard (1...Self.topicLimit).contains(texts.count) else { throw value.error }
        topics = Set(texts)
    }
}

/// The parameters of `Publish`.
struct PublishParameters {
    let topic: String
    let items: QueryItems

    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["topic", "items"])
        topic = try parameters.required("topic").text()
        items = try parameters.required("items").items()
    }
}

// MARK: - Types that several methods have

extension VarlinkObject {
    /// Reads an origin; requests over a socket are never internal.
    fileprivate func origin() throws(VarlinkError) -> Origin? {
        guard let value = optional("origin") else { return nil }
        let origin: Origin = try value.choice()
        guard origin != .internal else { throw value.error }
        return origin
    }

    /// Reads the code and the message of an error.
    fileprivate func error() throws(VarlinkError) -> CallbackError {
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
    fileprivate func items() throws(VarlinkError) -> QueryItems {
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
