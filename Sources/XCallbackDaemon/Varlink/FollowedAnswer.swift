import XCallbackPipeline
import XCallbackURL

/// The answers of a call that follows them: an answer to the daemon itself becomes the next request, and the client
/// must open any other.
struct FollowedAnswer {
    /// The result of a request.
    struct Report {
        let response: Response
        /// Whether the handler of the request returned the response.
        let isHandled: Bool
        /// The answer, a URL.
        let answer: [UInt8]
        /// Whether the answer is a callback or a redirect, not one of the daemon's own URLs.
        let hasExplicitTarget: Bool
        /// The ID of the request; nil if there was none.
        let id: RequestID?
        /// The reason for a failure, if the client may see it.
        var cause: String?
        /// The text that the desktop shows after a success; nil if there is none.
        var notice: String?
    }

    /// The maximum number of consecutive answers that become requests.
    static let limit = 8

    /// The origin of the first request; the same for all requests that follow from it.
    let origin: Origin
    /// The result of the call; nil if it is the result of the last request.
    let report: Report?
    /// The last answer, if the client must open it.
    private(set) var open: [UInt8]?
    /// The text that the desktop shows after the success of the first request that has one.
    private(set) var notice: String?
    /// The number of answers that became requests.
    private var count = 0

    /// Starts to follow answers.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - report: The result of the call, if it is already known.
    init(from origin: Origin, report: Report? = nil) {
        self.origin = origin
        self.report = report
    }

    /// Processes the answer of a request.
    ///
    /// - Parameters:
    ///   - report: The result of a request.
    ///   - pipeline: Determines whether the answer is for the daemon.
    /// - Returns: The next request, a URL; nil if there is none.
    /// - Throws: ``CallbackError`` if there are too many consecutive requests.
    mutating func next(after report: Report, _ pipeline: Pipeline) throws(CallbackError) -> [UInt8]? {
        if notice == nil { notice = report.notice }
        guard report.hasExplicitTarget, pipeline.answersItself(report.answer.span) else {
            open = report.hasExplicitTarget ? report.answer : nil
            return nil
        }
        open = nil
        count += 1
        if count <= Self.limit { return report.answer }
        throw CallbackError(.loop, "More than \(Self.limit) callbacks have followed one another.")
    }
}
