import XCallbackRouter
import XCallbackURL

/// The answers of a call that follows them: an answer to the daemon itself becomes the next request, and the client
/// must open any other.
struct FollowedAnswer {
    /// The maximum number of consecutive answers that become requests.
    static let limit = 8

    /// The origin of the first request; the same for all requests that follow from it.
    let origin: Origin
    /// The reply to the call; nil if it is that of the last request.
    private(set) var reply: OpenReply?
    /// The last answer, if the client must open it.
    private(set) var open: [UInt8]?
    /// The text that the desktop shows after the success of the first request that has one.
    private(set) var notice: String?
    /// The number of answers that became requests.
    private(set) var count = 0

    /// Processes the answer of a request.
    ///
    /// - Parameters:
    ///   - last: The reply for the request.
    ///   - pipeline: Determines whether the answer is for the daemon.
    /// - Returns: The next request, a URL; nil if there is none.
    /// - Throws: ``CallbackError`` if there are too many consecutive requests.
    mutating func next(after last: OpenReply, _ pipeline: Pipeline) throws(CallbackError) -> [UInt8]? {
        if notice == nil { notice = last.notice }
        guard last.hasExplicitTarget, pipeline.answersItself(last.answer.span) else {
            open = last.hasExplicitTarget ? last.answer : nil
            return nil
        }
        open = nil
        count += 1
        if count <= Self.limit { return last.answer }
        throw CallbackError(.loop, "More than \(Self.limit) callbacks have followed one another.")
    }

    /// Returns the reply to the call, whose last request has ended.
    func result(after last: OpenReply) -> OpenReply {
        var result = reply ?? last
        result.open = open
        result.notice = notice
        return result
    }
}
