import XCallbackBytes
import XCallbackPipeline
import XCallbackURL

/// What becomes of the answers of a call that wants them delivered: one to the daemon itself is a request in turn, any
/// other is handed over to the client, which opens it.
struct FollowedAnswer {
    /// What the call is to be told, whatever follows from it.
    struct Report {
        let response: Response
        let isHandled: Bool
        let answer: [UInt8]
    }

    /// How many answers may be requests in turn.
    static let limit = 8

    /// The way on which the first request has come in; it is that of all that follow from it.
    let origin: Origin
    /// What the call is told; nil if that is what the last request has come to.
    let report: Report?
    /// The last answer, if it is for somebody else.
    private(set) var open: [UInt8]?
    /// How many answers have been requests.
    private var count = 0
    /// The answer that is the next request.
    private var next: [UInt8]?

    /// Creates the followed of a request's answer.
    ///
    /// - Parameters:
    ///   - origin: The way on which the request has come in.
    ///   - report: What the call is told, if that is known already.
    init(from origin: Origin, report: Report? = nil) {
        self.origin = origin
        self.report = report
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer, a URL.
    ///   - namesSomebody: Whether it is a callback or a redirect, and not one of the daemon's own URLs.
    ///   - pipeline: What tells whether it is for the daemon.
    mutating func take(_ answer: Span<UInt8>, namesSomebody: Bool, _ pipeline: Pipeline) {
        let isRequest = namesSomebody && pipeline.isToAnswer(answer)
        next = isRequest ? Array(copying: answer) : nil
        open = namesSomebody && !isRequest ? Array(copying: answer) : nil
    }

    /// Takes the next request out; nil if there is none.
    ///
    /// - Throws: ``CallbackError`` if too many have followed one another.
    mutating func takeNext() throws(CallbackError) -> [UInt8]? {
        guard let url = next.take() else { return nil }
        count += 1
        if count <= Self.limit { return url }
        throw CallbackError(.loop, "More than \(Self.limit) callbacks have followed one another.")
    }
}
