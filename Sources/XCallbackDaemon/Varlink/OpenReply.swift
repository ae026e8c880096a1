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
        // Writes constant text in as few pieces as possible: each costs as much as a dozen bytes.
        switch reply.response {
        case .success: append("{\"outcome\":\"success\",\"answer\":")
        case .error: append("{\"outcome\":\"error\",\"answer\":")
        case .cancel: append("{\"outcome\":\"cancel\",\"answer\":")
        case .redirect: append("{\"outcome\":\"redirect\",\"answer\":")
        }
        append(json: reply.answer.span)
        append(",\"items\":")
        switch reply.response {
        case .success(let items):
            append(atMost: OutputSpan.room(forItems: items)) { $0.append(items: items) }
            if let notice = reply.notice {
                append(",\"notice\":")
                append(json: notice.utf8.span)
            }
            append(withoutError: reply.isHandled)
        case .error(let error): append(error, reply)
        case .cancel, .redirect:
            append("[]")
            append(withoutError: reply.isHandled)
        }
        if let open = reply.open {
            append(json: open.span)
            append(",\"id\":")
        } else {
            append("null,\"id\":")
        }
        append(reply.id)
    }

    private mutating func append(_ error: CallbackError, _ reply: OpenReply) {
        append(atMost: OutputSpan.room(forItems: error.items)) { $0.append(items: error.items) }
        append(",\"code\":")
        append(String(error.code.rawValue).utf8.span)
        append(",\"message\":")
        append(json: error.message.utf8.span)
        if let cause = reply.cause {
            append(",\"cause\":")
            append(json: cause.utf8.span)
        }
        append(reply.isHandled ? ",\"by\":\"handler\",\"open\":" : ",\"by\":\"daemon\",\"open\":")
    }

    /// Appends the ID of the request, and the end of the object.
    private mutating func append(_ id: RequestID?) {
        guard let id else { return append("null}") }
        append(atMost: 40) { output in
            output.append(UInt8(ascii: "\""))
            for byte in 0..<8 { output.append(UInt8(truncatingIfNeeded: id.start >> UInt64(56 - 8 * byte))) }
            output.append(UInt8(ascii: "-"))
            output.append(decimal: id.number)
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: "}"))
        }
    }

    private mutating func append(withoutError isHandled: Bool) {
        if isHandled {
            append(",\"code\":null,\"message\":null,\"by\":\"handler\",\"open\":")
        } else {
            append(",\"code\":null,\"message\":null,\"by\":\"daemon\",\"open\":")
        }
    }

    private mutating func append(json text: Span<UInt8>) {
        append(atMost: OutputSpan.room(forJSON: text)) { $0.append(json: text) }
    }
}
