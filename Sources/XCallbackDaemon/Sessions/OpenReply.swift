import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

// It is written without a `JSONValue`, as it is what clients ask for most.
extension [UInt8] {
    /// Appends the reply to `Open`: an object.
    ///
    /// - Parameters:
    ///   - response: What the request has ended in.
    ///   - isHandled: Whether its handler has said so.
    ///   - answer: The answer, a URL.
    ///   - open: What the client has to open, if there is anything.
    mutating func append(
        replyOf response: borrowing Response, isHandled: Bool, answer: Span<UInt8>, open: [UInt8]? = nil
    ) {
        let openRoom = open.map { OutputSpan.room(forJSON: $0.span) } ?? 0
        append(addingCapacity: OutputSpan.room(forReplyOf: response, answer: answer) + openRoom) { output in
            output.append(replyOf: response, isHandled: isHandled, answer: answer, open: open)
        }
    }
}

extension OutputSpan<UInt8> {
    /// How many bytes the reply to `Open` takes at most if there is nothing to open.
    static func room(forReplyOf response: borrowing Response, answer: Span<UInt8>) -> Int {
        room(forJSON: answer) + room(forFactsOf: response)
    }

    /// Appends the reply to `Open`; there has to be room for it.
    mutating func append(
        replyOf response: borrowing Response, isHandled: Bool, answer: Span<UInt8>, open: [UInt8]? = nil
    ) {
        append(outcome: response)
        append(escaping: answer)
        append(factsOf: response)
        if isHandled { append(",\"by\":\"handler\",\"open\":") } else { append(",\"by\":\"daemon\",\"open\":") }
        guard let open else { return append("null}") }
        append(json: open.span)
        append(UInt8(ascii: "}"))
    }

    /// How many bytes a reply takes at most without the URLs in it.
    fileprivate static func room(forFactsOf response: borrowing Response) -> Int {
        switch response {
        case .success(let items): 256 + room(forItems: items)
        case .error(let error): 256 + room(forJSON: error.message.utf8.span)
        case .cancel, .redirect: 256
        }
    }

    /// Appends the outcome, up to what the answer's quotes hold.
    fileprivate mutating func append(outcome response: borrowing Response) {
        switch response {
        case .success: append("{\"outcome\":\"success\",\"answer\":\"")
        case .error: append("{\"outcome\":\"error\",\"answer\":\"")
        case .cancel: append("{\"outcome\":\"cancel\",\"answer\":\"")
        case .redirect: append("{\"outcome\":\"redirect\",\"answer\":\"")
        }
    }

    /// Appends the items of a success and the facts of an error, of which a response has one or neither, from the
    /// answer's last quote on.
    fileprivate mutating func append(factsOf response: borrowing Response) {
        append("\",\"items\":")
        switch response {
        case .success(let items):
            append(items: items)
            append(",\"code\":null,\"message\":null")
        case .error(let error):
            append("[],\"code\":")
            for digit in String(error.code.rawValue).utf8 { append(digit) }
            append(",\"message\":")
            append(json: error.message.utf8.span)
        case .cancel, .redirect: append("[],\"code\":null,\"message\":null")
        }
    }
}
