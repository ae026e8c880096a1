import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

// Written without a `JSONValue`, because it is the most frequent call.
extension ByteBuffer {
    /// Appends the beginning of the reply to `Open`, up to the opening quote of the answer.
    mutating func append(outcome response: borrowing Response) {
        switch response {
        case .success: append("{\"outcome\":\"success\",\"answer\":\"")
        case .error: append("{\"outcome\":\"error\",\"answer\":\"")
        case .cancel: append("{\"outcome\":\"cancel\",\"answer\":\"")
        case .redirect: append("{\"outcome\":\"redirect\",\"answer\":\"")
        }
    }

    /// Escapes the bytes from a position on for a JSON string; URLs rarely contain any to escape.
    mutating func escape(from start: Int) {
        if needsNoEscape(bytes.span.extracting(start..<count)) { return }
        let copy = Array(bytes[start..<count])
        truncate(to: start)
        append(atMost: OutputSpan.room(forJSON: copy.span)) { $0.append(escaping: copy.span) }
    }

    /// Appends the rest of the reply to `Open`, from the closing quote of the answer on.
    ///
    /// A success has items; an error has a code, a message, and the items that an application sent with it.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - isHandled: Whether the handler of the request returned the response.
    ///   - open: The URL that the client must open, if any.
    ///   - id: The ID of the request; nil if there was none.
    ///   - cause: The reason for a failure, if the client may see it.
    ///   - notice: The text that the desktop shows after a success.
    mutating func append(
        factsOf response: borrowing Response, isHandled: Bool, open: [UInt8]?, id: RequestID?, cause: String?,
        notice: String?
    ) {
        append("\",\"items\":")
        // Writes constant text in as few pieces as possible: each costs as much as a dozen bytes.
        switch response {
        case .success(let items):
            append(atMost: OutputSpan.room(forItems: items)) { $0.append(items: items) }
            if let notice {
                append(",\"notice\":")
                append(json: notice.utf8.span)
            }
            append(withoutError: isHandled)
        case .error(let error):
            append(atMost: OutputSpan.room(forItems: error.items)) { $0.append(items: error.items) }
            append(",\"code\":")
            append(String(error.code.rawValue).utf8.span)
            append(",\"message\":")
            append(json: error.message.utf8.span)
            if let cause {
                append(",\"cause\":")
                append(json: cause.utf8.span)
            }
            if isHandled { append(",\"by\":\"handler\",\"open\":") } else { append(",\"by\":\"daemon\",\"open\":") }
        case .cancel, .redirect:
            append("[]")
            append(withoutError: isHandled)
        }
        if let open {
            append(json: open.span)
            append(",\"id\":")
        } else {
            append("null,\"id\":")
        }
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
