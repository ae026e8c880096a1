import Glibc
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Processes the requests of all sessions, one at a time; lives on the event loop.
final class RequestProcessor {
    /// The progress of a batch of lines.
    enum Outcome: ~Copyable {
        /// All complete lines, up to a position; more input may follow.
        case needsInput(from: Int)
        /// Up to a position, because enough answers are queued, or because other sessions must run.
        case needsTurn(from: Int)
        /// Up to a position, because the preceding request waits; ``takeExecution()`` returns its execution.
        case waits(PendingAnswer, from: Int)
        /// The session ends: the input is not a URL, or is too long.
        case ended
    }

    /// The progress of a single request.
    enum Opening: ~Copyable {
        /// The request waits; ``takeExecution()`` returns its execution.
        case waits(PendingAnswer)
        /// The request has ended; ``reply(_:waited:in:on:)`` makes the reply.
        case ended(PendingAnswer)
        /// The request was rejected before it was parsed.
        case refused(CallbackError)
    }

    /// Whether requests get their time.
    enum Phase {
        case serving
        /// The daemon stops, and completes the requests in progress.
        case draining
        /// Waiting requests are answered at once, because the time to stop is over.
        case outOfTime
    }

    /// The pipeline, which turns URLs into answers.
    var pipeline: Pipeline { current.pipeline }
    private(set) var limits: Limits
    var phase = Phase.serving
    /// What the stages may ask.
    let host: DaemonHost
    /// The clients that monitor requests and answers.
    let monitor = RequestMonitor()
    /// What keeps the requests of calls; nil for a daemon without a history.
    var history: History?
    private var current: CurrentRequest

    init(_ configuration: RouterConfiguration, _ host: DaemonHost) {
        current = CurrentRequest(pipeline: configuration.pipeline)
        limits = configuration.limits
        self.host = host
    }

    var statistics: Statistics { current.statistics }

    /// Switches to another configuration; what the host keeps stays.
    func use(_ configuration: RouterConfiguration) {
        current.pipeline = configuration.pipeline
        limits = configuration.limits
    }

    /// Removes the execution of the current request, which waits; the next request gets another one.
    func takeExecution() -> SuspendedExecution {
        let held = SuspendedExecution()
        swap(&held.execution, &current.execution)
        return held
    }

    /// Makes the execution of a request that has waited, and has ended, the current one.
    func takeBack(_ held: SuspendedExecution) {
        swap(&held.execution, &current.execution)
    }

    /// Writes the answer to the current request, which has ended: a URL.
    ///
    /// The request is counted, shown to watchers, and kept in the history as a part of `call`.
    ///
    /// - Parameters:
    ///   - answer: The pending answer.
    ///   - waited: The number and the duration of a request that waited; nil for one that did not wait.
    ///   - call: The call, if the history keeps its requests.
    ///   - output: The buffer to append to.
    ///   - loop: The event loop.
    func write(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)?, in call: RecordedCall?,
        into output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        write(answer, to: &current, waited: waited, in: call, into: &output, on: loop)
    }

    private func write(
        _ answer: consuming PendingAnswer, to request: inout CurrentRequest, waited: (number: Int, time: Duration)?,
        in call: RecordedCall?, into output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        let start = output.count
        request.execution.write(answer, into: &output)
        let time = waited?.time.wholeNanoseconds ?? loop.readClock() - host.time
        request.statistics.add(request.execution.response, of: request.execution.request.matchedRoute, after: time)
        if let call, let history { history.note(request.execution, of: call, after: waited?.time, on: loop) }
        guard monitor.isActive else { return }
        monitor.note(
            request.execution, answer: output.bytes.span.extracting(start..<output.count),
            number: waited?.number ?? monitor.nextNumber(), after: .nanoseconds(time))
    }

    /// Whether a turn ends after a number of requests, at a time in nanoseconds.
    ///
    /// It also ends after a request with many watchers, which are notified before the next one.
    func isOver(_ turn: Turn, after count: Int, at time: Int64) -> Bool {
        if turn.isOver(after: count, at: time) { return true }
        let reachedCount = host.reachedCount
        guard reachedCount > 0 || monitor.isActive else { return false }
        host.reachedCount = 0
        return max(reachedCount, monitor.count) > FanOut.pieceSize
    }

    /// Ends the call whose answer is in input that exceeds a limit; does nothing if the input is something else.
    ///
    /// - Parameters:
    ///   - input: The input, from the beginning of the line or message on.
    ///   - limit: The limit in bytes.
    ///   - name: The name of the limit.
    ///   - peer: The process that sent the input.
    func endCall(answeredIn input: Span<UInt8>, _ limit: Int, _ name: String, from peer: Peer) {
        guard let answer = ReturnedAnswer(tooLong: input, limit: limit, name: name) else { return }
        _ = host.finishCall(answer.token, from: peer.userID, with: answer.response)
    }
}

// MARK: - Lines

extension RequestProcessor {
    /// Answers lines.
    ///
    /// - Parameters:
    ///   - input: All received bytes that are not consumed.
    ///   - isAtEnd: Whether the input is complete.
    ///   - lines: The position of the session in its input.
    ///   - turn: The limit of the turn.
    ///   - client: The client that sent the lines.
    ///   - call: What the lines are a part of, if the history keeps them.
    ///   - output: The buffer to append to.
    ///   - loop: The event loop.
    /// - Returns: The progress.
    func answer(
        _ input: Span<UInt8>, isAtEnd: Bool, _ lines: inout LineDialect, _ turn: Turn, from client: ClientContext,
        in call: RecordedCall?, into output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Outcome {
        host.time = loop.batchTime
        return answer(
            input, isAtEnd: isAtEnd, &lines, turn, from: client, with: &current, in: call, into: &output, on: loop)
    }

    /// Answers lines, all in one access to the current request.
    private func answer(
        _ input: Span<UInt8>, isAtEnd: Bool, _ lines: inout LineDialect, _ turn: Turn, from client: ClientContext,
        with request: inout CurrentRequest, in call: RecordedCall?, into output: inout ByteBuffer,
        on loop: isolated EventLoop
    ) -> Outcome {
        var (position, count) = (0, 0)
        let end = output.count + limits.queuedOutput
        while output.count < end {
            switch lines.next(in: input, from: position, isAtEnd: isAtEnd) {
            case .incomplete(let start): return .needsInput(from: start)
            case .tooLong:
                endCall(answeredIn: input.extracting(position..<input.count), lines.limit, "line", from: client.peer)
                let error = CallbackError.lineTooLong(limit: lines.limit)
                output.append(refusal: error)
                output.append(UInt8(ascii: "\n"))
                request.statistics.add(.error(error), of: nil, after: monotonicTime() - host.time)
                return .ended
            case .line(let range, let next):
                position = next
                let pending = request.execution.begin(
                    input.extracting(range), as: request.nextID(), from: client.peer, origin: client.origin,
                    in: request.pipeline)
                guard request.execution.advance(in: request.pipeline, host) else {
                    return .waits(pending, from: position)
                }
                write(pending, to: &request, waited: nil, in: call, into: &output, on: loop)
                output.append(UInt8(ascii: "\n"))
                // Another protocol, perhaps, whose next lines must not count as requests.
                guard request.execution.isURL else { return .ended }
                count += 1
                guard position < input.count, isOver(turn, after: count, at: loop.time) else { continue }
                return .needsTurn(from: position)
            }
        }
        return .needsTurn(from: position)
    }
}

// MARK: - Calls

extension RequestProcessor {
    /// Opens a URL as a request.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - id: The ID of the preceding request in the call; nil if there is none.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - now: The current time in nanoseconds.
    ///   - route: The identity of the only route that may answer; nil if every route may.
    ///   - source: The name that the client gives itself; nil for none.
    ///   - hasSecrets: Whether it comes from an answer with a value that no history and no log may have.
    /// - Returns: The progress.
    func open(
        _ url: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, at now: Int64, by route: String?,
        named source: String?, hasSecrets: Bool
    ) -> Opening {
        host.time = now
        // An answer may be as long as a message.
        guard url.count <= limits.line || ReturnURL.isOne(url) else {
            let error = CallbackError.lineTooLong(limit: limits.line)
            current.statistics.add(.error(error), of: nil, after: monotonicTime() - host.time)
            return .refused(error)
        }
        let pipeline = route.map { self.pipeline.restricted(to: $0, for: url) } ?? self.pipeline
        let pending = current.execution.begin(
            url, as: id ?? current.nextID(), from: peer, origin: origin, named: source, in: pipeline)
        if hasSecrets { current.execution.keepSecrets() }
        return current.execution.advance(in: pipeline, host) ? .ended(pending) : .waits(pending)
    }

    /// Makes the reply to `Open` for the current request, which has ended.
    func reply(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)?, in call: RecordedCall?,
        on loop: isolated EventLoop
    ) -> OpenReply {
        var text = ByteBuffer()
        write(answer, waited: waited, in: call, into: &text, on: loop)
        let execution = current.execution
        return OpenReply(
            response: execution.response, isHandled: execution.isHandled, answer: text.contents,
            hasExplicitTarget: execution.hasExplicitTarget, id: execution.request.id,
            cause: cause, notice: execution.notice, hasSecrets: execution.hasSecretAnswer)
    }

    /// Returns the reason for an error of the current request: why it failed, or which route was probably meant.
    ///
    /// Only the daemon's user and root get it; an assistant does not.
    private var cause: String? {
        let execution = current.execution
        guard case .error(let error) = execution.response, execution.request.receivedOrigin != .agent,
            execution.request.peer.hasFullAccess
        else { return nil }
        if let cause = host.log.failureCauses.take(execution.request.id) { return cause }
        guard (400..<500).contains(error.code.rawValue), !execution.isHandled else { return nil }
        return pipeline.cause(of: error, for: execution.request)
    }
}

/// The request in progress, and what each request uses: one value, because each access to a property of a class is checked.
private struct CurrentRequest {
    var pipeline: Pipeline
    var execution = SuspendedExecution().execution
    var statistics = Statistics()
    /// The ID of the last request.
    private var lastID = RequestID(ofStart: randomNumber())

    init(pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Returns an ID for another request.
    mutating func nextID() -> RequestID {
        lastID = lastID.next
        return lastID
    }
}

extension Execution {
    /// The text that the desktop shows after a success; nil if there is none.
    fileprivate var notice: String? {
        guard case .success = response, request.receivedOrigin == .desktop,
            let text = request.matchedRoute?.stages.settings.notice
        else { return nil }
        return text(request)
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

extension Peer {
    private static let ownUserID = geteuid()

    /// Whether the peer may do everything: the daemon's user and root may.
    var hasFullAccess: Bool { userID == 0 || userID == Self.ownUserID }
}
