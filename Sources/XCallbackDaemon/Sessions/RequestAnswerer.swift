import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

/// Answers the lines of all sessions, one after the other, with memory that serves each of them.
///
/// It is one value, so that a batch of lines is a single access to the service's state.
struct RequestAnswerer {
    /// How far a batch of lines was answered.
    enum Outcome: ~Copyable {
        /// Everything that is whole, up to a position; more input may follow.
        case needsInput(from: Int)
        /// Up to a position, as enough answers are queued.
        case needsRoom(from: Int)
        /// Up to a position, as the request before it waits: `walk` is where it is.
        case waits(PendingAnswer, from: Int)
        /// Everything that will be: what was received is no URL, or too long.
        case ended
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
    /// Who wants to see requests and answers.
    let watch = RequestWatch()

    private var queueLimit: Int
    private var output = ByteBuffer()
    /// Why the URL of the last call was not even read.
    private var refusal: CallbackError?
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

    /// Answers lines and hands the answers to the connection.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - start: Where to begin.
    ///   - isAtEnd: Whether nothing will follow the input.
    ///   - lines: Where the session is in its input.
    ///   - peer: The process that sent it.
    ///   - now: The time, in nanoseconds.
    ///   - output: Where the answers are appended.
    /// - Returns: How far it came.
    mutating func answer(
        _ input: Span<UInt8>, from start: Int, isAtEnd: Bool, _ lines: inout LineDialect, _ peer: Peer,
        at now: Int64, into output: inout Output
    ) -> Outcome {
        state.time = now
        let outcome = answer(input, from: start, isAtEnd: isAtEnd, &lines, peer)
        output.append(self.output.bytes.span.extracting(0..<self.output.count))
        self.output.truncate()
        return outcome
    }

    private mutating func answer(
        _ input: Span<UInt8>, from start: Int, isAtEnd: Bool, _ lines: inout LineDialect, _ peer: Peer
    ) -> Outcome {
        var position = start
        let pipeline = pipeline
        while output.count < queueLimit {
            switch lines.next(in: input, from: position, isAtEnd: isAtEnd) {
            case .incomplete(let start): return .needsInput(from: start)
            case .tooLong:
                refuse(.lineTooLong(limit: lines.limit))
                return .ended
            case .line(let range, let next):
                position = next
                let start = output.count
                let pending = walk.answer(
                    input.extracting(range), from: peer, origin: .socket, in: pipeline, &state, into: &output)
                if let pending { return .waits(pending, from: position) }
                answers.add(walk.response)
                if watch.isActive {
                    watch.note(walk, answer: output.bytes.span.extracting(start..<output.count), since: state.time)
                }
                output.append(UInt8(ascii: "\n"))
                // What is no URL may be another protocol, whose next lines must not be taken for requests.
                if !walk.isURL { return .ended }
            }
        }
        return .needsRoom(from: position)
    }

    /// Takes the walk of the request that was begun last, which has to wait; the next one begins with another.
    mutating func takeWalk() -> HeldWalk {
        let held = spareWalks.popLast() ?? HeldWalk()
        swap(&held.walk, &walk)
        return held
    }

    /// Keeps the memory of a walk that has ended, unless there is much of it.
    mutating func giveBack(_ held: HeldWalk) {
        guard spareWalks.count < Self.spareLimit, held.walk.forget() <= Self.spareCapacity else { return }
        spareWalks.append(held)
    }

    /// Answers a request that has waited; the next lines that are answered take the answer along.
    mutating func finish(_ walk: inout Walk, _ answer: consuming PendingAnswer, number: Int, after time: Duration) {
        let start = output.count
        write(&walk, answer, from: start, number: number, after: time)
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func write(
        _ walk: inout Walk, _ answer: consuming PendingAnswer, from start: Int, number: Int, after time: Duration
    ) {
        walk.write(answer, into: &output)
        answers.add(walk.response)
        guard watch.isActive else { return }
        watch.note(walk, answer: output.bytes.span.extracting(start..<output.count), number: number, after: time)
    }

    /// Answers what is no request.
    private mutating func refuse(_ error: CallbackError) {
        PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &output)
        answers.add(.error(error))
        output.append(UInt8(ascii: "\n"))
    }
}

// MARK: - Calls

extension RequestAnswerer {
    /// Asks for the answer to a URL; then ``appendReply(to:)`` writes it, unless the request has to wait.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - peer: The process that sent it.
    ///   - origin: The way on which it came in.
    ///   - limit: How many bytes it may have.
    ///   - now: The time, in nanoseconds.
    /// - Returns: The answer that the request is owed, if it has to wait: `walk` is where it is.
    mutating func open(
        _ url: Span<UInt8>, from peer: Peer, origin: Origin, limit: Int, at now: Int64
    ) -> PendingAnswer? {
        state.time = now
        guard url.count <= limit else {
            let error = CallbackError.lineTooLong(limit: limit)
            PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &output)
            answers.add(.error(error))
            refusal = error
            return nil
        }
        let pipeline = pipeline
        if let pending = walk.answer(url, from: peer, origin: origin, in: pipeline, &state, into: &output) {
            return pending
        }
        answers.add(walk.response)
        if watch.isActive {
            watch.note(walk, answer: output.bytes.span.extracting(0..<output.count), since: state.time)
        }
        return nil
    }

    /// Appends the reply to `Open` for a request that did not wait.
    ///
    /// - Parameters:
    ///   - bytes: Where it is appended.
    ///   - followed: What is to become of the answer.
    mutating func appendReply(to bytes: inout [UInt8], _ followed: inout FollowedAnswer?) {
        if let refusal = refusal.take() {
            appendReply(.error(refusal), isHandled: false, to: &bytes)
        } else {
            followed?.take(
                output.bytes.span.extracting(0..<output.count), namesSomebody: walk.namesWhomToTell, pipeline)
            appendReply(walk.response, isHandled: walk.isHandled, to: &bytes, followed?.open)
        }
    }

    private mutating func appendReply(
        _ response: Response, isHandled: Bool, to bytes: inout [UInt8], _ open: [UInt8]? = nil
    ) {
        bytes.append(
            replyOf: response, isHandled: isHandled, answer: output.bytes.span.extracting(0..<output.count),
            open: open)
        output.truncate()
    }

    /// Replies to `Open` for a request that did not wait, and of whose answer nothing becomes.
    ///
    /// - Parameters:
    ///   - conversation: Where the call was made.
    ///   - bytes: Where the reply is appended.
    mutating func reply(in conversation: inout VarlinkServerSession, to bytes: inout [UInt8]) {
        if let refusal = refusal.take() {
            reply(.error(refusal), isHandled: false, in: &conversation, to: &bytes)
        } else {
            reply(walk.response, isHandled: walk.isHandled, in: &conversation, to: &bytes)
        }
        output.truncate()
    }

    private func reply(
        _ response: borrowing Response, isHandled: Bool, in conversation: inout VarlinkServerSession,
        to bytes: inout [UInt8]
    ) {
        let answer = output.bytes.span.extracting(0..<output.count)
        conversation.finish(into: &bytes, atMost: OutputSpan.room(forReplyOf: response, answer: answer)) {
            $0.append(replyOf: response, isHandled: isHandled, answer: answer)
        }
    }

    /// Appends the reply to `Open` for a request that has waited.
    mutating func appendReply(
        of walk: inout Walk, _ answer: consuming PendingAnswer, number: Int, after time: Duration,
        to bytes: inout [UInt8], _ followed: inout FollowedAnswer?
    ) {
        write(&walk, answer, from: 0, number: number, after: time)
        followed?.take(output.bytes.span.extracting(0..<output.count), namesSomebody: walk.namesWhomToTell, pipeline)
        appendReply(walk.response, isHandled: walk.isHandled, to: &bytes, followed?.open)
    }
}

extension CallbackError {
    fileprivate static func lineTooLong(limit: Int) -> CallbackError {
        CallbackError(.tooLarge, "The line is longer than \(limit) bytes (limits: line).")
    }
}
