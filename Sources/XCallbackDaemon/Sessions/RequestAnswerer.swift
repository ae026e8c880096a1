import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// Answers the requests of all sessions, one at a time, with shared memory.
///
/// A single value, so that a batch of lines accesses the service's state only once.
struct RequestAnswerer {
    /// The progress of a batch of lines.
    enum Outcome: ~Copyable {
        /// All complete lines, up to a position; more input may follow.
        case needsInput(from: Int)
        /// Up to a position, because enough answers are queued, or because other sessions must run.
        case needsRoom(from: Int)
        /// Up to a position, because the preceding request waits; `execution` is its execution.
        case waits(PendingAnswer, from: Int)
        /// The session ends: the input is not a URL, or is too long.
        case ended
    }

    /// The progress of a single request.
    enum Opening: ~Copyable {
        /// The request waits; `execution` is its execution.
        case waits(PendingAnswer)
        /// The request has ended, and `execution` has the response; the answer is not written yet.
        case ended(PendingAnswer)
        /// The request was rejected before it was parsed.
        case refused(CallbackError)
    }

    /// The limits of executions kept for waiting requests: their number, and the bytes of a URL in one of them.
    private static let spareLimit = 64
    private static let spareCapacity = 4096

    /// The pipeline, which turns URLs into answers.
    private(set) var pipeline: Pipeline
    /// The memory of the stages.
    var state = PipelineState()
    /// The execution of the current request.
    private(set) var execution = SuspendedExecution().execution
    /// The number of answers.
    private(set) var answers = AnswerCounts()
    /// The results of the requests, by route.
    private(set) var routeCounts = RouteCounts()
    /// The clients that monitor requests and answers.
    let watch = RequestWatch()

    private var queueLimit: Int
    /// Executions whose memory is reused for waiting requests.
    private var spareExecutions: [SuspendedExecution] = []

    init(_ configuration: RouterConfiguration) {
        pipeline = configuration.pipeline
        queueLimit = configuration.limits.queuedOutput
    }

    /// Switches to another configuration; the memory of the stages stays.
    mutating func use(_ configuration: RouterConfiguration) {
        pipeline = configuration.pipeline
        queueLimit = configuration.limits.queuedOutput
    }

    /// Removes the execution of the current request, which waits; the next request gets another one.
    mutating func takeExecution() -> SuspendedExecution {
        let held = spareExecutions.popLast() ?? SuspendedExecution()
        swap(&held.execution, &execution)
        return held
    }

    /// Makes the execution of a request that has waited, and has ended, the current one.
    mutating func takeBack(_ held: SuspendedExecution) {
        swap(&held.execution, &execution)
        // The memory of the other execution is reused, unless it is large.
        guard spareExecutions.count < Self.spareLimit, held.execution.forget() <= Self.spareCapacity else { return }
        spareExecutions.append(held)
    }

    /// Writes the answer to the current request, which has ended: a URL.
    ///
    /// - Parameters:
    ///   - answer: The pending answer.
    ///   - waited: The number and the duration of a request that waited; nil for one that did not wait.
    ///   - output: The buffer to append to.
    mutating func write(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil,
        into output: inout ByteBuffer
    ) {
        let start = output.count
        execution.write(answer, into: &output)
        noteAnswer(after: waited?.time)
        guard watch.isActive else { return }
        let text = output.bytes.span.extracting(start..<output.count)
        if let waited {
            watch.note(execution, answer: text, number: waited.number, after: waited.time)
        } else {
            watch.note(execution, answer: text, since: state.time)
        }
    }

    /// Counts the current request, which has ended.
    ///
    /// - Parameter time: The duration, if the request waited; nil if it was answered at once.
    @inline(__always)
    private mutating func noteAnswer(after time: Duration? = nil) {
        answers.add(execution.response)
        routeCounts.add(execution.response, of: execution.request.matchedRoute, after: time)
    }

    /// Counts input that was rejected before it became a request.
    private mutating func noteRefusal(_ error: CallbackError) {
        answers.add(.error(error))
        routeCounts.add(.error(error), of: nil, after: nil)
    }

    /// Records the duration of the requests that the last batch answered at once.
    mutating func endBatch(after time: Int64) {
        routeCounts.endBatch(after: time)
    }

    /// Whether a turn ends after a number of requests.
    ///
    /// It also ends after a request with many watchers, which are notified before the next one.
    mutating func isOver(_ turn: Turn, after count: Int) -> Bool {
        if count % Turn.step == 0, turn.isOver(after: count) { return true }
        guard state.reachedCount > 0 || watch.isActive else { return false }
        defer { state.reachedCount = 0 }
        return max(state.reachedCount, watch.count) > FanOut.pieceSize
    }
}

// MARK: - Answers of applications that exceed a limit

extension RequestAnswerer {
    /// Ends the call whose answer is in input that exceeds a limit; does nothing if the input is something else.
    ///
    /// - Parameters:
    ///   - input: The input, from the beginning of the line or message on.
    ///   - limit: The limit in bytes.
    ///   - name: The name of the limit.
    ///   - peer: The process that sent the input.
    mutating func endCall(answeredIn input: Span<UInt8>, _ limit: Int, _ name: String, from peer: Peer) {
        guard let answer = ReturnedAnswer(tooLong: input, limit: limit, name: name) else { return }
        _ = state[OutgoingCalls.self].finish(answer.token, from: peer.userID, with: answer.response)
    }
}

// MARK: - Lines

extension RequestAnswerer {
    /// Answers lines.
    ///
    /// - Parameters:
    ///   - input: All received bytes that are not consumed.
    ///   - isAtEnd: Whether the input is complete.
    ///   - lines: The position of the session in its input.
    ///   - turn: The limit of the turn.
    ///   - peer: The process that sent the lines.
    ///   - origin: The origin of the lines.
    ///   - now: The current time in nanoseconds.
    ///   - output: The buffer to append to.
    /// - Returns: The progress.
    mutating func answer(
        _ input: Span<UInt8>, isAtEnd: Bool, _ lines: inout LineDialect, _ turn: Turn, _ peer: Peer,
        _ origin: Origin, at now: Int64, into output: inout ByteBuffer
    ) -> Outcome {
        state.time = now
        var (position, count) = (0, 0)
        let pipeline = pipeline
        let end = output.count + queueLimit
        while output.count < end {
            switch lines.next(in: input, from: position, isAtEnd: isAtEnd) {
            case .incomplete(let start): return .needsInput(from: start)
            case .tooLong:
                endCall(answeredIn: input.extracting(position..<input.count), lines.limit, "line", from: peer)
                let error = CallbackError.lineTooLong(limit: lines.limit)
                output.append(refusal: error)
                output.append(UInt8(ascii: "\n"))
                noteRefusal(error)
                return .ended
            case .line(let range, let next):
                position = next
                let start = output.count
                let pending = execution.answer(
                    input.extracting(range), from: peer, origin: origin, in: pipeline, &state, into: &output)
                if let pending { return .waits(pending, from: position) }
                noteAnswer()
                if watch.isActive {
                    watch.note(execution, answer: output.bytes.span.extracting(start..<output.count), since: state.time)
                }
                output.append(UInt8(ascii: "\n"))
                // A line that is not a URL can belong to another protocol, whose next lines must not count as requests.
                if !execution.isURL { return .ended }
                count += 1
                if position < input.count, isOver(turn, after: count) { return .needsRoom(from: position) }
            }
        }
        return .needsRoom(from: position)
    }
}

// MARK: - Calls

extension RequestAnswerer {
    /// Opens a URL as a request.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - id: The ID of the preceding request in the call; nil if there is none.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - limit: The maximum size of the URL in bytes.
    ///   - now: The current time in nanoseconds.
    ///   - route: The identity of the only route that may answer; nil if every route may.
    /// - Returns: The progress.
    mutating func open(
        _ url: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, limit: Int, at now: Int64,
        by route: String? = nil
    ) -> Opening {
        state.time = now
        // An answer may be as long as a message.
        guard url.count <= limit || ReturnURL.isOne(url) else {
            let error = CallbackError.lineTooLong(limit: limit)
            noteRefusal(error)
            return .refused(error)
        }
        let pipeline = route.map { self.pipeline.restricted(to: $0, for: url) } ?? self.pipeline
        let pending = execution.begin(url, as: id ?? state.nextID(), from: peer, origin: origin, in: pipeline)
        return execution.advance(in: pipeline, &state) ? .ended(pending) : .waits(pending)
    }

    /// Writes the reply to `Open` for the current request, which has ended: an object.
    ///
    /// - Parameters:
    ///   - answer: The pending answer.
    ///   - waited: The number and the duration of a request that waited; nil for one that did not wait.
    ///   - cause: The reason for a failure, if the client may see it.
    ///   - notice: The text that the desktop shows after a success.
    ///   - output: The buffer to append to.
    mutating func reply(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil, cause: String? = nil,
        notice: String? = nil, into output: inout ByteBuffer
    ) {
        output.append(outcome: execution.response)
        let start = output.count
        write(answer, waited: waited, into: &output)
        output.escape(from: start)
        output.append(
            factsOf: execution.response, isHandled: execution.isHandled, open: nil, id: execution.request.id,
            cause: cause, notice: notice)
    }

    /// Reports the response of the current request, with its answer.
    mutating func report(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)?, cause: String? = nil
    ) -> FollowedAnswer.Report {
        var text = ByteBuffer()
        write(answer, waited: waited, into: &text)
        return FollowedAnswer.Report(
            response: execution.response, isHandled: execution.isHandled, answer: text.contents,
            hasExplicitTarget: execution.hasExplicitTarget, id: execution.request.id, cause: cause)
    }
}

extension ByteBuffer {
    /// Appends the answer to input that is not a request: a URL.
    mutating func append(refusal error: CallbackError) {
        PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &self)
    }
}

extension CallbackError {
    fileprivate static func lineTooLong(limit: Int) -> CallbackError {
        CallbackError(.tooLarge, "The URL is longer than \(limit) bytes (limits: line).")
    }
}
