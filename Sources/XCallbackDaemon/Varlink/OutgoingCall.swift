import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A call to another application, whose answer a caller waits for.
///
/// It waits until the application answers, or until ``interrupt(with:)``; then the reply is written, and nothing is left
/// of it. If both happen in one turn, the answer of the application counts.
struct OutgoingCall {
    /// The longest timeout that a caller may request.
    static let longestTime = Duration.seconds(86_400)

    /// The token in its return URLs, which cannot be guessed.
    let token = Token().description
    /// The account to which the call counts; nil if it was rejected.
    var account: Account?
    /// The timer that ends the call; nil if it was rejected.
    var timer: DelayedCall?
    /// The response of the daemon, if the call has ended without the application.
    private(set) var interruption: Response?
    /// The query of the URL to open, including the callbacks.
    private var query = ActionURL()
    private var callbacks = Callbacks()

    /// Ends the call with a response of the daemon, if it has not ended before.
    ///
    /// - Returns: Whether this ended the call.
    mutating func interrupt(with response: Response) -> Bool {
        guard interruption == nil else { return false }
        interruption = response
        return true
    }

    /// Checks a URL and takes its callbacks for the call.
    ///
    /// Only the query must follow the rules for the daemon's own URLs; the rest belongs to the application.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - pipeline: The pipeline, which has the allowed callbacks.
    /// - Returns: The positions of its parts.
    /// - Throws: ``CallbackError`` if the URL, or one of its callbacks, is malformed or not allowed.
    mutating func check(_ url: Span<UInt8>, _ pipeline: Pipeline) throws(CallbackError) -> URLLayout {
        let layout: URLLayout
        do {
            layout = try URLLayout(checking: url)
            let items = layout.query.map { Array(copying: url.extracting($0)) } ?? []
            try query.parse((Array("call:?".utf8) + items).span, maximumItems: pipeline.maximumParameters)
        } catch {
            throw error.callbackError
        }
        try callbacks.check(query, pipeline.callbackRules, .socket)
        guard !CallbackRules.isRefused(scheme: String(utf8: url.extracting(layout.scheme))) else {
            throw CallbackError(.malformed, "URLs of this scheme are not opened because they can run code.")
        }
        return layout
    }

    /// Makes the URL to open from a checked URL: return URLs replace its callbacks.
    func target(_ url: Span<UInt8>, _ layout: URLLayout, readingForm readsForm: Bool) -> [UInt8] {
        var output = ByteBuffer()
        output.append(callback: url, layout, adding: ReturnURL.items(token: token, for: query, readingForm: readsForm))
        return output.contents
    }

    /// Makes the answer to the caller.
    ///
    /// - Parameters:
    ///   - response: The outcome of the call.
    ///   - isReturned: Whether the response is from the application and not from the daemon.
    ///   - pipeline: The pipeline, which has the daemon's own schemes.
    /// - Returns: A callback of the URL, or one of the daemon's own URLs, and whether the caller has set it.
    func answer(
        to response: Response, isReturned: Bool, in pipeline: Pipeline
    ) -> (url: [UInt8], hasExplicitTarget: Bool) {
        var output = ByteBuffer()
        if isReturned {
            PendingAnswer().write(returned: response, to: callbacks, of: query, in: pipeline, into: &output)
        } else {
            PendingAnswer().write(response, to: callbacks, of: query, into: &output)
        }
        return (output.contents, callbacks.hasTarget(for: response))
    }
}
