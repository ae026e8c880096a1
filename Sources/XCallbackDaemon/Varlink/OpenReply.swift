import XCallbackBuiltIns
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The reply to `Open`: how a request has ended.
struct OpenReply {
    let response: Response
    /// Whether the handler of the request returned the response.
    let isHandled: Bool
    /// The answer, a URL.
    let answer: [UInt8]
    /// Whether the answer is a callback or a redirect, not one of the daemon's own URLs.
    let hasExplicitTarget: Bool
    /// The ID of the request; nil if there was none.
    let id: RequestID?
    /// The reason for a failure, if the client may see it.
    var cause: String?
    /// The text that the desktop shows after a success; nil if there is none.
    var notice: String?
    /// Whether the answer can have a value that no history and no log may have.
    var hasSecrets = false
    /// The URL that the client must open, if any.
    var open: [UInt8]?
}

extension OpenReply {
    /// Whether another configuration might have answered otherwise: no route matched, or a parameter did not.
    var concernsConfiguration: Bool {
        if case .error(let error) = response { !isHandled && [404, 422].contains(error.code.rawValue) } else { false }
    }
}

// Written without a `JSONValue`, because it is the most frequent call.
extension ByteBuffer {
    /// Appends the reply to `Open`, an object.
    ///
    /// A success has items; an error has a code, a message, and the items that an application sent with it.
    mutating func append(_ reply: OpenReply) {
        var (items, error) = (QueryItems(), nil as CallbackError?)
        switch reply.response {
        case .success(let own): items = own
        case .error(let own): (items, error) = (own.items, own)
        case .cancel, .redirect: break
        }
        append("{\"outcome\":")
        append(json: reply.response.kind.rawValue.utf8.span)
        append(",\"answer\":")
        append(json: reply.answer.span)
        append(",\"items\":")
        append(atMost: OutputSpan.room(forItems: items)) { $0.append(items: items) }
        if case .success = reply.response, let notice = reply.notice {
            append(",\"notice\":")
            append(json: notice.utf8.span)
        }
        if let error {
            append(",\"code\":")
            append(String(error.code.rawValue).utf8.span)
            append(",\"message\":")
            append(json: error.message.utf8.span)
        } else {
            append(",\"code\":null,\"message\":null")
        }
        if let cause = reply.cause {
            append(",\"cause\":")
            append(json: cause.utf8.span)
        }
        append(reply.isHandled ? ",\"by\":\"handler\",\"open\":" : ",\"by\":\"daemon\",\"open\":")
        if let open = reply.open { append(json: open.span) } else { append("null") }
        append(",\"id\":")
        if let id = reply.id { append(json: id.description.utf8.span) } else { append("null") }
        append("}")
    }

    private mutating func append(json text: Span<UInt8>) {
        append(atMost: OutputSpan.room(forJSON: text)) { $0.append(json: text) }
    }
}
