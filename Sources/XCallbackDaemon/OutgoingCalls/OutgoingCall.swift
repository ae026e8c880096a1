import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// A call of another application: what is opened, and whom its answer is for.
struct OutgoingCall {
    /// How long a caller may want to wait.
    static let longestTime = Duration.seconds(86_400)

    /// What it waits under.
    let key: OutgoingCalls.Key
    /// Who holds it; nil if it was refused.
    var account: Account?
    /// What outlives the daemon of it, if anything does.
    var record: CallRecord?
    /// The query of the URL that is called, with the callbacks in it.
    private var query = ActionURL()
    private var callbacks = Callbacks()
    /// Whether it is not known yet whether it outlives the daemon.
    var isBeingKept = false
    /// The first reply to its caller, until that is written.
    var opening: JSONValue?
    /// What it has ended in without the application, if it has.
    var ending: Response?

    /// Creates a call under a token that nobody can guess.
    init(token: String) {
        key = .token(token)
    }

    /// Creates what is left of a call to an earlier daemon.
    init(_ record: CallRecord) {
        key = .mark(record.mark)
        self.record = record
    }

    /// Checks a URL, whose callbacks are those of the call from then on.
    ///
    /// Only its query has to be as in the daemon's own URLs; the rest is the application's business.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - pipeline: What tells which callbacks are allowed.
    /// - Returns: Where its parts are.
    /// - Throws: ``CallbackError`` if the URL, or one of its callbacks, is malformed or not allowed.
    @discardableResult
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
            throw CallbackError(.malformed, "URLs of this scheme are not opened: they could run what they hold.")
        }
        return layout
    }

    /// Makes what is to be opened of a URL that was checked: it has return URLs in the place of its callbacks.
    func target(_ url: Span<UInt8>, _ layout: URLLayout, returningWith token: String) -> [UInt8] {
        var output = ByteBuffer()
        output.append(callback: url, layout, adding: ReturnURL.items(token: token, for: query))
        return output.contents
    }

    /// The answer to the caller: a callback of the URL, or one of the daemon's own URLs.
    func answer(to response: Response) -> (url: [UInt8], namesSomebody: Bool) {
        var output = ByteBuffer()
        PendingAnswer().write(response, to: callbacks, of: query, into: &output)
        return (output.contents, callbacks.take(response))
    }
}
