import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// A call to another application: the URL to open, and the caller to which the answer goes.
struct OutgoingCall {
    /// The state of a call.
    enum State: String, MachineState {
        /// Its record is being written, so that it outlives the daemon.
        case keeping
        /// The caller must be told which URL to open.
        case opening
        /// The application has received the call.
        case opened
        /// The answer is known and not written yet.
        case returned

        /// The events of a call.
        enum Event: String, CaseIterable {
            /// The record is written, or cannot be written.
            case keep
            /// The caller is told which URL to open.
            case open
            /// The application answers.
            case `return`
            /// The call times out, or the daemon stops and the call cannot outlive it.
            case interrupt
        }

        func after(_ event: Event) -> State? {
            switch (self, event) {
            case (.keeping, .keep): .opening
            case (.opening, .open): .opened
            case (.opened, .return): .returned
            case (.keeping, .interrupt), (.opening, .interrupt), (.opened, .interrupt): .returned
            // An answer is valid before the reply is written.
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

    /// The longest timeout that a caller may request.
    static let longestTime = Duration.seconds(86_400)

    /// The key under which the call waits.
    let key: OutgoingCalls.Key
    /// The account to which the call counts; nil if it was rejected.
    var account: Account?
    /// The record of the call on disk, if any.
    var record: CallRecord?
    /// The query of the URL to open, including the callbacks.
    private var query = ActionURL()
    private var callbacks = Callbacks()
    private var phase: Phase {
        didSet { assert(oldValue.state.leads(to: phase.state)) }
    }

    /// Creates a call with a token that cannot be guessed.
    init(token: String) {
        key = .token(token)
        phase = .keeping(timer: nil)
    }

    /// Restores a call to an earlier daemon, whose URL is already open.
    init(_ record: CallRecord) {
        key = .mark(record.mark)
        self.record = record
        phase = .opened(timer: nil)
    }

    /// Whether the application has received the call and may answer.
    var isOpened: Bool { if case .opened = phase { true } else { false } }

    /// Whether its record is being written.
    var isBeingKept: Bool { if case .keeping = phase { true } else { false } }

    /// Whether the answer is known.
    var isReturned: Bool { if case .returned = phase { true } else { false } }

    /// The timer that ends the call; nil without a timeout.
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

    /// Stores the first reply to the caller, unless the call has ended.
    mutating func keep(_ record: CallRecord?, opening reply: JSONValue) {
        guard case .keeping(let timer) = phase else { return }
        self.record = record
        phase = .opening(reply, timer: timer)
    }

    /// Tells the caller which URL to open.
    ///
    /// - Returns: The reply; nil if there is none now.
    mutating func open() -> JSONValue? {
        guard case .opening(let reply, let timer) = phase else { return nil }
        phase = .opened(timer: timer)
        return reply
    }

    /// Ends the call with a response of the daemon, if it has not ended before.
    ///
    /// - Returns: Whether this ended the call.
    mutating func interrupt(with response: Response) -> Bool {
        if isReturned { return false }
        phase = .returned(response)
        return true
    }

    /// Returns the outcome of the call.
    ///
    /// - Parameter answer: The application's answer; nil if there is none.
    /// - Returns: The response; nil if the call has not ended.
    func response(answered answer: Response?) -> Response? {
        switch phase {
        case .keeping, .opening: nil
        case .opened: answer
        case .returned(let response): answer ?? response
        }
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

    /// Makes the URL to open from a checked URL: return URLs replace its callbacks.
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
        return (output.contents, callbacks.take(response))
    }
}
