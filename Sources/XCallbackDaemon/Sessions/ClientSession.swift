import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

/// One client's conversation: requests are answered in order, one at a time.
final class ClientSession: Session {
    /// A request whose handler, or another stage, has to wait.
    private struct Waiting: ~Copyable {
        let answer: PendingAnswer
        let held: HeldWalk
        let pipeline: Pipeline
        /// When its time is over, while that runs.
        var deadline: Duration
        var task: Task<Void, Never>?
        /// What it is called where somebody watches.
        let number: Int
        /// When it began to wait.
        let start: Duration
        /// Whether the walk has come to its end.
        var isDone = false
    }

    let id: ConnectionID
    let peer: Peer
    /// What the peer's user has in use, together with other connections.
    let use: RequestService.Use
    let service: RequestService
    /// Whether the service knows that something here waits.
    var isKnownToWait = false
    /// Where the request is among the deliveries, while its handler is a client that receives.
    var deliverySlot: Int?
    private var lines: LineDialect
    private var hasDialect = false
    /// What is kept of the conversation if it is one in Varlink.
    private(set) var calls: VarlinkDialect?
    private var waiting: Waiting?
    /// Counts the stages that were begun or ended, so that a late outcome is told from the one that is waited for.
    private var stageNumber: UInt64 = 0

    init(_ id: ConnectionID, from peer: Peer, _ use: RequestService.Use, service: RequestService) {
        self.id = id
        self.peer = peer
        self.use = use
        self.service = service
        lines = LineDialect(limit: service.limits.line)
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout Output, on loop: isolated EventLoop
    ) -> Progress {
        if let calls { return answerCalls(in: input, from: 0, calls, &output, on: loop) }
        guard finishWaiting(on: loop) else { return Progress(consumed: 0, need: .event) }
        guard !hasDialect else { return answerLines(of: input, from: 0, isAtEnd: isAtEnd, &output, on: loop) }
        guard let start = Self.dialectStart(of: input) else { return Progress(consumed: input.count, need: .input) }
        hasDialect = true
        if isLetter(input[start]) { return answerLines(of: input, from: start, isAtEnd: isAtEnd, &output, on: loop) }
        // No other dialect is spoken: whoever speaks one gets no answer.
        guard input[start] == UInt8(ascii: "{") else { return Progress(consumed: input.count, need: .close) }
        let calls = VarlinkDialect(limit: service.limits.message)
        self.calls = calls
        return answerCalls(in: input, from: start, calls, &output, on: loop)
    }

    func deadlinePassed(on loop: isolated EventLoop) {
        if let calls, endOutgoingCall(calls, with: .error(.applicationTimedOut), on: loop) { return }
        let isAsking = waiting?.held.walk.asyncStage?.limit != nil
        interrupt(with: .error(isAsking ? .nobodyAnswered : .handlerTimedOut), on: loop)
    }

    func closed(on loop: isolated EventLoop) {
        // Nobody is left to answer, but the middleware that the request has met sees its end.
        interrupt(with: .cancel, on: loop)
        forgetOutgoingCall()
        if let waiting = waiting.take() {
            waiting.answer.abandon()
            use.requests -= 1
        }
        if let stream = calls?.stream { service.remove(stream, on: loop) }
        if case .job? = calls?.pending { service.inspections.cancel(id) }
        service.close(self, on: loop)
    }

    /// Ends the request that waits, if there is one, with a response of the daemon.
    func interrupt(with response: Response, on loop: isolated EventLoop) {
        if let calls, endOutgoingCall(calls, with: response, on: loop) { return }
        guard waiting?.isDone == false else { return }
        stageNumber += 1
        waiting?.task?.cancel()
        if let slot = deliverySlot.take() { service.receivers.cancel(slot, on: loop) }
        service.answerer.state.time = loop.time
        waiting?.held.walk.interrupt(with: response, &service.answerer.state)
        endWaiting(on: loop)
    }

    private func answerLines(
        of input: Span<UInt8>, from start: Int, isAtEnd: Bool, _ output: inout Output,
        on loop: isolated EventLoop
    ) -> Progress {
        // A local value meanwhile, as each use of a property of a class is checked for exclusive access.
        var lines = lines
        defer { self.lines = lines }
        let outcome = service.answerer.answer(
            input, from: start, isAtEnd: isAtEnd, &lines, peer, at: loop.time, into: &output)
        service.noteActivity(on: loop)
        switch consume outcome {
        case .needsInput(let position): return Progress(consumed: position, need: .input)
        case .needsRoom(let position): return Progress(consumed: position, need: .room)
        case .ended: return Progress(consumed: input.count, need: .close)
        case .waits(let answer, let position):
            wait(answer, on: loop)
            return Progress(consumed: position, need: .event)
        }
    }

    /// Where the first byte stands that is no blank; it tells the dialect.
    private static func dialectStart(of input: Span<UInt8>) -> Int? {
        for index in input.indices where !isBlank(input[index]) { return index }
        return nil
    }
}

// MARK: - Requests that wait

extension ClientSession {
    /// Lets the request wait that the answerer has begun.
    func wait(_ answer: consuming PendingAnswer, on loop: isolated EventLoop) {
        let held = service.answerer.takeWalk()
        let timeout = held.walk.timeout ?? service.limits.handlerTime
        let number = service.answerer.watch.noteWaiting(held)
        waiting = Waiting(
            answer: answer, held: held, pipeline: service.answerer.pipeline, deadline: loop.now + timeout,
            number: number, start: loop.now)
        service.beginWaiting(self)
        use.requests += 1
        guard use.requests <= service.limits.requestsPerUser else {
            return interrupt(with: .error(.tooManyRequests(limit: service.limits.requestsPerUser)), on: loop)
        }
        if service.isOutOfTime { return interrupt(with: .error(.shuttingDown), on: loop) }
        loop.setDeadline(of: id, after: timeout)
        runStage(on: loop)
    }

    /// Runs the stage that has to wait, on the loop; its Task is the only one of the request at a time.
    private func runStage(on loop: isolated EventLoop) {
        guard let deadline = waiting?.deadline else { return }
        let timeLeft = deadline - loop.now
        // That costs no task, as the client's response calls back.
        if let handler = waiting?.held.walk.deliveringHandler {
            return service.receivers.deliver(for: self, by: handler, within: timeLeft, on: loop)
        }
        guard let stage = waiting?.held.walk.asyncStage else { return }
        stageNumber += 1
        // The time of the request stands still meanwhile.
        if let limit = stage.limit { loop.setDeadline(of: id, after: limit) }
        let number = stageNumber
        let task = Task.immediate(executorPreference: loop.executor) {
            let outcome = await stage.run()
            if stage.limit != nil { restartClock(of: number, with: timeLeft, on: loop) }
            resume(number, with: outcome, on: loop)
        }
        // A stage that did not have to wait after all has ended by now, and another one may run.
        if stageNumber == number { waiting?.task = task }
    }

    /// Writes what a receiver is told of the request that waits for it.
    func writeMessage(by handler: any DeliveringHandler, id: Token, limit: Duration, to bytes: inout [UInt8]) {
        let digits = id.digits
        waiting?.held.walk.withRequest { handler.write(messageOf: $0, id: digits.span, limit: limit, to: &bytes) }
    }

    /// Hears what has come of the delivery of the request.
    func endDelivery(with result: Result<Response, CallbackError>, on loop: isolated EventLoop) {
        deliverySlot = nil
        switch result {
        case .success(let response): resume(stageNumber, with: .handled(response), on: loop)
        case .failure(let error): resume(stageNumber, with: .refused(error), on: loop)
        }
    }

    private func restartClock(of number: UInt64, with timeLeft: Duration, on loop: isolated EventLoop) {
        guard stageNumber == number, waiting?.isDone == false else { return }
        waiting?.deadline = loop.now + timeLeft
        loop.setDeadline(of: id, after: timeLeft)
    }

    private func resume(_ number: UInt64, with outcome: AsyncStage.Outcome, on loop: isolated EventLoop) {
        // After a time-out, or when the client is gone, nobody wants to know.
        guard stageNumber == number, waiting?.isDone == false else { return }
        stageNumber += 1
        service.answerer.state.time = loop.time
        if case .failed(let error) = outcome { service.log(error, of: waiting?.held.walk.request.route ?? "") }
        waiting?.held.walk.resume(with: outcome)
        if advance() { endWaiting(on: loop) } else { runStage(on: loop) }
    }

    /// Notes that the walk has ended.
    ///
    /// No deadline counts from then on, because the answer may be written much later: the client must read the answers
    /// before it first.
    private func endWaiting(on loop: isolated EventLoop) {
        waiting?.isDone = true
        loop.setDeadline(of: id, after: nil)
        loop.wake(id)
    }

    private func advance() -> Bool {
        guard let pipeline = waiting?.pipeline else { return true }
        return waiting?.held.walk.advance(in: pipeline, &service.answerer.state) ?? true
    }

    /// Writes the answer of the request that waited; false if it still waits.
    private func finishWaiting(on loop: isolated EventLoop) -> Bool {
        guard waiting != nil else { return true }
        guard let finished = takeFinished(on: loop) else { return false }
        let time = loop.now - finished.start
        service.answerer.finish(&finished.held.walk, finished.answer, number: finished.number, after: time)
        service.answerer.giveBack(finished.held)
        return true
    }

    /// Writes the reply to the call whose request waited; false if it still waits.
    func finishOpen(_ calls: VarlinkDialect, into replies: inout [UInt8], on loop: isolated EventLoop) -> Bool {
        guard let finished = takeFinished(on: loop) else { return false }
        let time = loop.now - finished.start
        var reply: [UInt8] = []
        service.answerer.appendReply(
            of: &finished.held.walk, finished.answer, number: finished.number, after: time, to: &reply, &calls.followed)
        service.answerer.giveBack(finished.held)
        follow(reply, calls, into: &replies, on: loop)
        if case .nothing = calls.pending { return true }
        return false
    }

    /// The request that waited, if it has come to its end.
    private func takeFinished(on loop: isolated EventLoop) -> Waiting? {
        guard waiting?.isDone == true, let finished = waiting.take() else { return nil }
        service.endWaiting(self)
        use.requests -= 1
        service.noteLatency(loop.now - finished.start)
        return finished
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

private func isLetter(_ byte: UInt8) -> Bool {
    isSchemeByte(byte, isFirst: true)
}

extension CallbackError {
    static let shuttingDown = CallbackError(.unavailable, "The daemon is shutting down.")
    fileprivate static let nobodyAnswered = CallbackError(.timedOut, "Nobody said in time whether this may be done.")
    fileprivate static let handlerTimedOut = CallbackError(.timedOut, "The handler did not answer in time.")

    fileprivate static func tooManyRequests(limit: Int) -> CallbackError {
        CallbackError(.tooMany, "More than \(limit) requests of this user wait (limits: requests-per-user).")
    }
}
