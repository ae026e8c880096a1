import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

extension [UInt8] {
    /// Appends the reply to `Open`: an object.
    ///
    /// It is written without a `JSONValue`, as it is what clients ask for most.
    ///
    /// - Parameters:
    ///   - response: What the request has ended in.
    ///   - isHandled: Whether its handler has said so.
    ///   - answer: The answer, a URL.
    ///   - handover: What the client has to open, if there is anything.
    mutating func append(
        replyOf response: borrowing Response, isHandled: Bool, answer: Span<UInt8>, handover: [UInt8]? = nil
    ) {
        append(outcome: response)
        append(json: answer)
        append(",\"items\":")
        switch response {
        case .success(let items):
            append(items: items)
            append(",\"code\":null,\"message\":null")
        case .error(let error):
            append("[],\"code\":")
            append(contentsOf: String(error.code.rawValue).utf8)
            append(",\"message\":")
            append(json: error.message)
        case .cancel, .redirect: append("[],\"code\":null,\"message\":null")
        }
        append(isHandled ? ",\"by\":\"handler\",\"handover\":" : ",\"by\":\"daemon\",\"handover\":")
        if let handover { append(json: handover.span) } else { append("null") }
        append(UInt8(ascii: "}"))
    }

    private mutating func append(outcome response: borrowing Response) {
        switch response {
        case .success: append("{\"outcome\":\"success\",\"answer\":")
        case .error: append("{\"outcome\":\"error\",\"answer\":")
        case .cancel: append("{\"outcome\":\"cancel\",\"answer\":")
        case .redirect: append("{\"outcome\":\"redirect\",\"answer\":")
        }
    }

    /// Appends items: an array of objects with `name` and `value`.
    mutating func append(items: borrowing QueryItems) {
        append(UInt8(ascii: "["))
        for index in items.entries.indices {
            let entry = items.entries[index]
            append(index == 0 ? "{\"name\":" : ",{\"name\":")
            append(json: items.storage.bytes.span.extracting(entry.name))
            append(",\"value\":")
            if entry.hasValue {
                append(json: items.storage.bytes.span.extracting(entry.value))
            } else {
                append("null")
            }
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: "]"))
    }
}
