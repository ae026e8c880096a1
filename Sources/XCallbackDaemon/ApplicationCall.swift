import XCallbackPipeline
import XCallbackURL

/// A call of another application: what is opened, and whom its answer is for.
struct ApplicationCall {
    /// What the return URLs hold; nobody can guess it.
    let token: String
    /// The query of the URL that is called, with the callbacks in it.
    private var query = ActionURL()
    private var callbacks = Callbacks()
    /// What it has ended in without the application, if it has.
    var ending: Response?

    /// Creates a call with a token of its own.
    init() {
        // The generator of the system, which asks the kernel (getrandom(2)).
        token = (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Checks a URL, and makes of it what is to be opened.
    ///
    /// Only its query has to be as in the daemon's own URLs; the rest is the application's business.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - pipeline: What tells which callbacks are allowed.
    /// - Returns: The URL with return URLs in the place of its callbacks.
    /// - Throws: ``CallbackError`` if the URL, or one of its callbacks, is malformed or not allowed.
    mutating func prepare(_ url: Span<UInt8>, _ pipeline: Pipeline) throws(CallbackError) -> [UInt8] {
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
