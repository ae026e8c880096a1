import XCallbackPipeline
import XCallbackURL

/// What becomes of the answers of a call that wants them followed: one to the daemon itself is the next request, any other
/// is left to the client, which opens it.
struct FollowedAnswer {
    /// What a request has ended in.
    struct Report {
        let response: Response
        /// Whether its handler has said so.
        let isHandled: Bool
        /// The answer, a URL.
        let answer: [UInt8]
        /// Whether that is a callback or a redirect, and not one of the daemon's own URLs.
        let namesSomebody: Bool
        /// What the request is called; nil if there was none.
        let id: RequestID?
        /// Why it failed, if the client may know it.
        var cause: String?
    }

    /// How many answers may be requests in turn.
    static let limit = 8

    /// The way on which the first request has come in; it is that of all that follow from it.
    let origin: Origin
    /// What the call is told; nil if that is what the last request has ended in.
    let report: Report?
    /// The last answer, if the client must open it.
    private(set) var open: [UInt8]?
    /// How many answers have been requests.
    private var count = 0

    /// Begins to follow answers.
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
    ///   - report: What a request has ended in.
    ///   - pipeline: What tells whether its answer is for the daemon.
    /// - Returns: The next request, a URL; nil if there is none.
    /// - Throws: ``CallbackError`` if too many have followed one another.
    mutating func next(after report: Report, _ pipeline: Pipeline) throws(CallbackError) -> [UInt8]? {
        guard report.namesSomebody, pipeline.isToAnswer(report.answer.span) else {
            open = report.namesSomebody ? report.answer : nil
            return nil
        }
        open = nil
        count += 1
        if count <= Self.limit { return report.answer }
        throw CallbackError(.loop, "More than \(Self.limit) callbacks have followed one another.")
    }
}
