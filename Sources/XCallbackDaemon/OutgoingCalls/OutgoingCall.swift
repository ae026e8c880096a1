import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// A call of another application: what is opened, and whom its answer is for.
struct OutgoingCall {
    /// Where a call is.
    enum State: String, MachineState {
        /// Its record is being written, so that it outlives the daemon.
        case keeping
        /// The caller is to be told what to open.
        case opening
        /// The application has it.
        case opened
        /// Its answer is known, and not written yet.
        case returned

        /// What can happen to a call.
        enum Event: String, CaseIterable {
            /// Its record is written, or cannot be.
            case keep
            /// The caller is told what to open.
            case open
            /// The application answers.
            case `return`
            /// It times out, or the daemon stops and it cannot outlive the daemon.
            case interrupt
        }

        func after(_ event: Event) -> State? {
            switch (self, event) {
            case (.keeping, .keep): .opening
            case (.opening, .open): .opened
            case (.opened, .return): .returned
            case (.keeping, .interrupt), (.opening, .interrupt), (.opened, .interrupt): .returned
            // An answer counts that comes before the reply is written.
            case (.returned, .return): .returned
            default: nil
            }
        }
    }

    private enum Phase {
        case keeping(timer: DelayedCall?)
        case opening(JSONValue, timer: DelayedCall?)
        case opened(timer: DelayedCall?)
        case returned(Response)

        var state: State {
            switch self {
            case .keeping: .keeping
            case .opening: .opening
            case .opened: .opened
            case .returned: .returned
            }
        }
    }

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
    private var phase: Phase {
        didSet { assert(oldValue.state.leads(to: phase.state)) }
    }

    /// Creates a call under a token that nobody can guess.
    init(token: String) {
        key = .token(token)
        phase = .keeping(timer: nil)
    }

    /// Creates what is left of a call to an earlier daemon, which has had its URL opened.
    init(_ record: CallRecord) {
        key = .mark(record.mark)
        self.record = record
        phase = .opened(timer: nil)
    }

    /// Whether the application has it, and may answer.
    var isOpened: Bool { if case .opened = phase { true } else { false } }

    /// Whether its record is being written.
    var isBeingKept: Bool { if case .keeping = phase { true } else { false } }

    /// Whether its answer is known.
    var isReturned: Bool { if case .returned = phase { true } else { false } }

    /// What ends it when its time is over; nil if nothing does.
    var timer: DelayedCall? {
        get {
            switch phase {
            case .keeping(let timer), .opening(_, let timer), .opened(let timer): timer
            case .returned: nil
            }
        }
        set {
            switch phase {
            case .keeping: phase = .keeping(timer: newValue)
            case .opening(let reply, _): phase = .opening(reply, timer: newValue)
            case .opened: phase = .opened(timer: newValue)
            case .returned: break
            }
        }
    }

    /// Takes what the caller is to be told first, unless the call has ended.
    mutating func keep(_ record: CallRecord?, opening reply: JSONValue) {
        guard case .keeping(let timer) = phase else { return }
        self.record = record
        phase = .opening(reply, timer: timer)
    }

    /// Tells the caller what to open.
    ///
    /// - Returns: The reply; nil if there is none at the moment.
    mutating func open() -> JSONValue? {
        guard case .opening(let reply, let timer) = phase else { return nil }
        phase = .opened(timer: timer)
        return reply
    }

    /// Ends it with a response of the daemon, if it has not ended before.
    ///
    /// - Returns: Whether it has ended now.
    mutating func interrupt(with response: Response) -> Bool {
        if isReturned { return false }
        phase = .returned(response)
        return true
    }

    /// What it has ended in.
    ///
    /// - Parameter answer: The application's answer; nil if there is none.
    /// - Returns: The response; nil if it has not ended.
    func response(answered answer: Response?) -> Response? {
        switch phase {
        case .keeping, .opening: nil
        case .opened: answer
        case .returned(let response): answer ?? response
        }
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
            throw CallbackError(.malformed, "URLs of this scheme are not opened because they can run code.")
        }
        return layout
    }

    /// Makes what is to be opened of a URL that was checked: it has return URLs in the place of its callbacks.
    func target(
        _ url: Span<UInt8>, _ layout: URLLayout, returningWith token: String, readingForm readsForm: Bool
    ) -> [UInt8] {
        var output = ByteBuffer()
        output.append(callback: url, layout, adding: ReturnURL.items(token: token, for: query, readingForm: readsForm))
        return output.contents
    }

    /// Makes the answer to the caller.
    ///
    /// - Parameters:
    ///   - response: What it has ended in.
    ///   - isReturned: Whether the application has said so, and not the daemon.
    ///   - pipeline: What tells which schemes are its own.
    /// - Returns: A callback of the URL, or one of the daemon's own URLs, and whether the caller has named it.
    func answer(
        to response: Response, isReturned: Bool, in pipeline: Pipeline
    ) -> (url: [UInt8], namesSomebody: Bool) {
        var output = ByteBuffer()
        if isReturned {
            PendingAnswer().write(returned: response, to: callbacks, of: query, in: pipeline, into: &output)
        } else {
            PendingAnswer().write(response, to: callbacks, of: query, into: &output)
        }
        return (output.contents, callbacks.take(response))
    }
}
