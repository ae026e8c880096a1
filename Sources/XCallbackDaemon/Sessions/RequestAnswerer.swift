import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// Answers the requests of all sessions, one after the other, with memory that serves each of them.
///
/// It is one value, so that a batch of lines is a single access to the service's state.
struct RequestAnswerer {
    /// How far a batch of lines was answered.
    enum Outcome: ~Copyable {
        /// Everything that is whole, up to a position; more input may follow.
        case needsInput(from: Int)
        /// Up to a position, as enough answers are queued, or others have their turns.
        case needsRoom(from: Int)
        /// Up to a position, as the request before it waits: `walk` is where it is.
        case waits(PendingAnswer, from: Int)
        /// Everything that will be: what was received is no URL, or too long.
        case ended
    }

    /// How far a single request was answered.
    enum Opening: ~Copyable {
        /// It waits: `walk` is where it is.
        case waits(PendingAnswer)
        /// It has ended, and `walk` knows in what; its answer is to be written.
        case ended(PendingAnswer)
        /// It was not even read.
        case refused(CallbackError)
    }

    /// How many walks are kept for requests that wait, and how many bytes a URL in one of them may take.
    private static let spareLimit = 64
    private static let spareCapacity = 4096

    /// What turns URLs into answers.
    private(set) var pipeline: Pipeline
    /// What stages remember between requests.
    var state = PipelineState()
    /// The walk of the request that was begun last.
    private(set) var walk = HeldWalk().walk
    /// How many answers were given.
    private(set) var answers = AnswerCounts()
    /// What became of the requests of each route.
    private(set) var routeCounts = RouteCountTable()
    /// The clients that want to see requests and answers.
    let watch = RequestWatch()

    private var queueLimit: Int
    /// Walks whose memory serves requests that wait.
    private var spareWalks: [HeldWalk] = []

    init(_ configuration: RouterConfiguration) {
        pipeline = configuration.pipeline
        queueLimit = configuration.limits.queuedOutput
    }

    /// Answers with another configuration from now on; what stages remember stays.
    mutating func use(_ configuration: RouterConfiguration) {
        pipeline = configuration.pipeline
        queueLimit = configuration.limits.queuedOutput
    }

    /// Takes the walk of the request that was begun last, which waits; the next one begins with another.
    mutating func takeWalk() -> HeldWalk {
        let held = spareWalks.popLast() ?? HeldWalk()
        swap(&held.walk, &walk)
        return held
    }

    /// Makes the walk of a request that has waited, and has ended, that of the request that was begun last.
    mutating func takeBack(_ held: HeldWalk) {
        swap(&held.walk, &walk)
        // The memory of the other one serves another request, unless there is much of it.
        guard spareWalks.count < Self.spareLimit, held.walk.forget() <= Self.spareCapacity else { return }
        spareWalks.append(held)
    }

    /// Writes the answer to the request that was begun last, which has ended: a URL.
    ///
    /// - Parameters:
    ///   - answer: The answer that it is owed.
    ///   - waited: The number of a request that has waited, and how long it took; nil for another one.
    ///   - output: Where the answer is appended.
    mutating func write(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil,
        into output: inout ByteBuffer
    ) {
        let start = output.count
        walk.write(answer, into: &output)
        noteAnswer(after: waited?.time)
        guard watch.isActive else { return }
        let text = output.bytes.span.extracting(start..<output.count)
        if let waited {
            watch.note(walk, answer: text, number: waited.number, after: waited.time)
        } else {
            watch.note(walk, answer: text, since: state.time)
        }
    }

    /// Counts the request that was begun last, which has ended.
    ///
    /// - Parameter time: How long it took, if it has waited; nil for one that was answered at once.
    @inline(__always)
    private mutating func noteAnswer(after time: Duration? = nil) {
        answers.add(walk.response)
        let index = routeCounts.index(notedAs: walk.countIndex) ?? routeCounts.place(walk.request.matchedRoute)
        if let time {
            routeCounts.add(walk.response, at: index, after: time)
        } else {
            routeCounts.add(walk.response, at: index)
        }
    }

    /// Counts what was refused before it was a request.
    private mutating func noteRefusal(_ error: CallbackError) {
        answers.add(.error(error))
        routeCounts.add(.error(error), at: CountIndex.none)
    }

    /// Notes how long the requests took that were answered at once, in the batch that is over.
    mutating func endBatch(after time: Int64) {
        routeCounts.endBatch(after: time)
    }

    /// Whether a turn is over after so many requests.
    ///
    /// It is also after one that many are told of, in turns that come before the next request's.
    mutating func isOver(_ turn: Turn, after count: Int) -> Bool {
        if count % Turn.step == 0, turn.isOver(after: count) { return true }
        guard state.reachedCount > 0 || watch.isActive else { return false }
        defer { state.reachedCount = 0 }
        return max(state.reachedCount, watch.count) > FanOut.pieceSize
    }
}

// MARK: - Lines

extension RequestAnswerer {
    /// Answers lines.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - isAtEnd: Whether nothing will follow the input.
    ///   - lines: Where the session is in its input.
    ///   - turn: How long it may go on.
    ///   - peer: The process that sent it.
    ///   - origin: The way on which it came in.
    ///   - now: The time, in nanoseconds.
    ///   - output: Where the answers are appended.
    /// - Returns: How far it came.
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
                let error = CallbackError.lineTooLong(limit: lines.limit)
                output.append(refusal: error)
                output.append(UInt8(ascii: "\n"))
                noteRefusal(error)
                return .ended
            case .line(let range, let next):
                position = next
                let start = output.count
                let pending = walk.answer(
                    input.extracting(range), from: peer, origin: origin, in: pipeline, &state, into: &output)
                if let pending { return .waits(pending, from: position) }
                noteAnswer()
                if watch.isActive {
                    watch.note(walk, answer: output.bytes.span.extracting(start..<output.count), since: state.time)
                }
                output.append(UInt8(ascii: "\n"))
                // What is no URL may be another protocol, whose next lines must not be taken for requests.
                if !walk.isURL { return .ended }
                count += 1
                if position < input.count, isOver(turn, after: count) { return .needsRoom(from: position) }
            }
        }
        return .needsRoom(from: position)
    }
}

// MARK: - Calls

extension RequestAnswerer {
    /// Asks for the answer to a URL.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - id: What the request is called that it follows from; nil for one that follows from none.
    ///   - peer: The process that sent it.
    ///   - origin: The way on which it came in.
    ///   - limit: How many bytes it may have.
    ///   - now: The time, in nanoseconds.
    ///   - route: What tells the only route from others that may answer; nil if every route may.
    /// - Returns: How far it came.
    mutating func open(
        _ url: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, limit: Int, at now: Int64,
        by route: String? = nil
    ) -> Opening {
        state.time = now
        guard url.count <= limit else {
            let error = CallbackError.lineTooLong(limit: limit)
            noteRefusal(error)
            return .refused(error)
        }
        let pipeline = route.map { self.pipeline.restricted(to: $0, for: url) } ?? self.pipeline
        let pending = walk.begin(url, as: id ?? state.nextID(), from: peer, origin: origin, in: pipeline)
        return walk.advance(in: pipeline, &state) ? .ended(pending) : .waits(pending)
    }

    /// Writes the reply to `Open` for the request that was begun last, which has ended: an object.
    ///
    /// - Parameters:
    ///   - answer: The answer that it is owed.
    ///   - waited: The number of a request that has waited, and how long it took; nil for another one.
    ///   - cause: Why it failed, if the client may know it.
    ///   - output: Where the reply is appended.
    mutating func reply(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil, cause: String? = nil,
        into output: inout ByteBuffer
    ) {
        output.append(outcome: walk.response)
        let start = output.count
        write(answer, waited: waited, into: &output)
        output.escape(from: start)
        output.append(
            factsOf: walk.response, isHandled: walk.isHandled, open: nil, id: walk.request.id, cause: cause)
    }

    /// Tells what the request that was begun last has ended in, with its answer.
    mutating func report(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)?, cause: String? = nil
    ) -> FollowedAnswer.Report {
        var text = ByteBuffer()
        write(answer, waited: waited, into: &text)
        return FollowedAnswer.Report(
            response: walk.response, isHandled: walk.isHandled, answer: text.contents,
            namesSomebody: walk.namesWhomToTell, id: walk.request.id, cause: cause)
    }
}

extension ByteBuffer {
    /// Appends the answer to what is no request: a URL.
    mutating func append(refusal error: CallbackError) {
        PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &self)
    }
}

extension CallbackError {
    fileprivate static func lineTooLong(limit: Int) -> CallbackError {
        CallbackError(.tooLarge, "The URL is longer than \(limit) bytes (limits: line).")
    }
}
