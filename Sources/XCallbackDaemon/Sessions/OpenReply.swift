import XCallbackBytes
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

// It is written without a `JSONValue`, as it is what clients ask for most.
extension ByteBuffer {
    /// Appends the reply to `Open`: an object.
    ///
    /// - Parameters:
    ///   - response: What the request has ended in.
    ///   - isHandled: Whether its handler has said so.
    ///   - answer: The answer, a URL.
    ///   - open: What the client must open, if there is anything.
    ///   - id: What the request is called; nil if there was none.
    ///   - cause: Why it failed, if the client may know it.
    mutating func append(
        replyOf response: borrowing Response, isHandled: Bool, answer: Span<UInt8>, open: [UInt8]?, id: RequestID?,
        cause: String?
    ) {
        append(outcome: response)
        let start = count
        append(answer)
        escape(from: start)
        append(factsOf: response, isHandled: isHandled, open: open, id: id, cause: cause)
    }

    /// Appends the beginning of the reply to `Open`, up to what the answer's quotes hold.
    mutating func append(outcome response: borrowing Response) {
        switch response {
        case .success: append("{\"outcome\":\"success\",\"answer\":\"")
        case .error: append("{\"outcome\":\"error\",\"answer\":\"")
        case .cancel: append("{\"outcome\":\"cancel\",\"answer\":\"")
        case .redirect: append("{\"outcome\":\"redirect\",\"answer\":\"")
        }
    }

    /// Escapes what stands from a position on, as within a JSON string; a URL hardly ever holds what must be escaped.
    mutating func escape(from start: Int) {
        if needsNoEscape(bytes.span.extracting(start..<count)) { return }
        let copy = Array(bytes[start..<count])
        truncate(to: start)
        append(atMost: OutputSpan.room(forJSON: copy.span)) { $0.append(escaping: copy.span) }
    }

    /// Appends the rest of the reply to `Open`, from the answer's last quote on.
    ///
    /// A success has items and an error has a code and a message; a response has one of these or neither.
    mutating func append(
        factsOf response: borrowing Response, isHandled: Bool, open: [UInt8]?, id: RequestID?, cause: String?
    ) {
        append("\",\"items\":")
        switch response {
        case .success(let items):
            append(atMost: OutputSpan.room(forItems: items)) { $0.append(items: items) }
            append(",\"code\":null,\"message\":null")
        case .error(let error):
            append("[],\"code\":")
            append(String(error.code.rawValue).utf8.span)
            append(",\"message\":")
            append(json: error.message.utf8.span)
        case .cancel, .redirect: append("[],\"code\":null,\"message\":null")
        }
        if let cause {
            append(",\"cause\":")
            append(json: cause.utf8.span)
        }
        if isHandled { append(",\"by\":\"handler\",\"open\":") } else { append(",\"by\":\"daemon\",\"open\":") }
        if let open { append(json: open.span) } else { append("null") }
        guard let id else { return append(",\"id\":null}") }
        append(",\"id\":\"")
        withUnsafeBytes(of: id.start.bigEndian) { append($0.bindMemory(to: UInt8.self).span) }
        append(atMost: 32) { output in
            output.append(UInt8(ascii: "-"))
            output.append(decimal: id.number)
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: "}"))
        }
    }

    private mutating func append(json text: Span<UInt8>) {
        append(atMost: OutputSpan.room(forJSON: text)) { $0.append(json: text) }
    }
}
