package import XCallbackURL
package import XCallbackWire

/// The single pending answer to a request.
///
/// Writing consumes it, so that it cannot be written twice. Dropping it is detected, so that it is not forgotten.
package struct PendingAnswer: ~Copyable {
    private var isWritten = false

    /// Creates the pending answer to a request.
    package init() {}

    deinit {
        assert(isWritten, "a request was dropped without its answer")
    }

    /// Writes the answer: one URL.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - callbacks: The callbacks of the URL that was received.
    ///   - url: The URL that was received.
    ///   - output: The buffer to append to.
    @inline(__always)
    package consuming func write(
        _ response: Response, to callbacks: borrowing Callbacks, of url: borrowing ActionURL,
        into output: inout ByteBuffer
    ) {
        isWritten = true
        switch response {
        case .success(let items):
            output.append(callbacks.success, of: url, orElse: OwnAnswer.success, adding: items)
        case .error(let error):
            output.append(callbacks.error, of: url, orElse: OwnAnswer.error, adding: error.answerItems)
        case .cancel:
            output.append(callbacks.cancel, of: url, orElse: OwnAnswer.cancel, adding: QueryItems())
        case .redirect(let target):
            output.append(callback: target.bytes.span, target.layout, adding: url.protocolItems)
        }
    }

    /// Writes the answer of another application: items of a callback to an own scheme are not replaced.
    ///
    /// The caller wrote the callback, whose parameters control an action of this user.
    ///
    /// - Parameters:
    ///   - response: The answer of the application.
    ///   - callbacks: The callbacks of the URL of the call.
    ///   - url: The URL of the call.
    ///   - pipeline: Determines the own schemes.
    ///   - output: The buffer to append to.
    package consuming func write(
        returned response: Response, to callbacks: Callbacks, of url: borrowing ActionURL, in pipeline: Pipeline,
        into output: inout ByteBuffer
    ) {
        guard let (place, items) = callbacks.additions(response) else {
            return write(response, to: callbacks, of: url, into: &output)
        }
        let callback = url.storage.bytes.span.extracting(place.range)
        guard pipeline.answersItself(callback) else { return write(response, to: callbacks, of: url, into: &output) }
        isWritten = true
        let query = callback.extracting(place.layout.query ?? 0..<0)
        output.append(callback: callback, place.layout, adding: items.without(namesIn: query))
    }

    /// Discards the answer, because its receiver is gone.
    package consuming func abandon() {
        isWritten = true
    }
}

extension Callbacks {
    /// The callback for a response, and the items that are added to it; nil if there are none.
    fileprivate func additions(_ response: Response) -> (place: Place, items: QueryItems)? {
        switch response {
        case .success(let items): success.map { ($0, items) }
        case .error(let error): self.error.map { ($0, error.answerItems) }
        case .cancel, .redirect: nil
        }
    }
}

extension CallbackError {
    /// The error as items of an answer, followed by what else another application sent with it.
    fileprivate var answerItems: QueryItems {
        var answer: QueryItems = ["errorCode": String(code.rawValue), "errorMessage": message]
        for item in items where !item.isErrorCode && !item.isErrorMessage { answer.append(item.name, item.value) }
        return answer
    }
}

/// The daemon's own answers, for outcomes without a callback in the request.
private enum OwnAnswer {
    // Their scheme is ``CallbackRules/answerScheme``.
    static var success: StaticString { "xcallback://x-callback-url/success" }
    static var error: StaticString { "xcallback://x-callback-url/error" }
    static var cancel: StaticString { "xcallback://x-callback-url/cancel" }
}

extension ByteBuffer {
    fileprivate mutating func append(
        _ place: Callbacks.Place?, of url: borrowing ActionURL, orElse own: StaticString,
        adding items: borrowing QueryItems
    ) {
        if let place {
            return append(callback: url.storage.bytes.span.extracting(place.range), place.layout, adding: items)
        }
        own.withUTF8Buffer { append($0.span) }
        if items.isEmpty { return }
        append(UInt8(ascii: "?"))
        append(percentEncoding: items)
    }
}
