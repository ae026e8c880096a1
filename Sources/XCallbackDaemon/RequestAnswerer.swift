import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

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

    /// What turns URLs into answers.
    private(set) var pipeline: Pipeline
    /// What stages remember between requests.
    var state = PipelineState()
    /// The walk of the request that was begun last.
    private(set) var walk = Walk(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
    /// How many answers were given.
    private(set) var answerCount = 0
    /// How many of them were errors.
    private(set) var errorCount = 0

    private var queueLimit: Int
    private var answers = ByteBuffer()

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
        output.append(answers.bytes.span.extracting(0..<answers.count))
        answers.truncate()
        return outcome
    }

    private mutating func answer(
        _ input: Span<UInt8>, from start: Int, isAtEnd: Bool, _ lines: inout LineDialect, _ peer: Peer
    ) -> Outcome {
        var position = start
        let pipeline = pipeline
        while answers.count < queueLimit {
            switch lines.next(in: input, from: position, isAtEnd: isAtEnd) {
            case .incomplete(let start): return .needsInput(from: start)
            case .tooLong:
                refuse(.lineTooLong(limit: lines.limit))
                return .ended
            case .line(let range, let next):
                position = next
                let pending = walk.answer(
                    input.extracting(range), from: peer, origin: .socket, in: pipeline, &state, into: &answers)
                if let pending { return .waits(pending, from: position) }
                endAnswer(isError: walk.endsInError)
                // What is no URL may be another protocol, whose next lines must not be taken for requests.
                if !walk.isURL { return .ended }
            }
        }
        return .needsRoom(from: position)
    }

    /// Answers a request that has waited; the next lines that are answered take the answer along.
    mutating func finish(_ walk: inout Walk, _ answer: consuming PendingAnswer) {
        walk.write(answer, into: &answers)
        endAnswer(isError: walk.endsInError)
    }

    /// Answers what is no request.
    private mutating func refuse(_ error: CallbackError) {
        PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &answers)
        endAnswer(isError: true)
    }

    private mutating func endAnswer(isError: Bool) {
        answers.append(UInt8(ascii: "\n"))
        answerCount += 1
        if isError { errorCount += 1 }
    }
}

extension CallbackError {
    fileprivate static func lineTooLong(limit: Int) -> CallbackError {
        CallbackError(.tooLarge, "The line is longer than \(limit) bytes (limits: line).")
    }
}
