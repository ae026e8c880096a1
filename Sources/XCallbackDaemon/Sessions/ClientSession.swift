import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// What the sessions of a connection have in common, whatever their dialect.
struct ClientContext {
    let id: ConnectionID
    let peer: Peer
    /// The origin of the client's requests: that of its socket.
    let origin: Origin
    let service: RequestService
}

/// One client's conversation: requests are answered in order, one at a time.
class ClientSession: Session {
    let client: ClientContext
    let processor: RequestProcessor
    /// The account of the peer's user, shared with other connections.
    private(set) var account: Account
    /// The request that waits, or whose answer is not written yet; nil if there is none.
    private var waiting: WaitingRequest?
    /// The current call, if the history keeps its requests.
    var recorded: RecordedCall?
    /// The number of started stages of the session's requests, so that each stage has a unique number.
    private var stageCount = 0

    /// Whether the client waits for an answer that the daemon does not have yet, or has not written: whether there is a
    /// waiting request.
    ///
    /// It is a property of its own, because each access to the other one is checked.
    private(set) var isWaiting = false

    /// Whether the client gets a stream of replies, which can lose some, or the end of the stream.
    var isStreaming: Bool { false }

    /// Whether the client gets the progress of the waiting request.
    var wantsProgress: Bool { false }

    var id: ConnectionID { client.id }
    var peer: Peer { client.peer }
    var origin: Origin { client.origin }
    var service: RequestService { client.service }

    init(_ client: ClientContext, _ account: Account) {
        self.client = client
        processor = client.service.processor
        self.account = account
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        Progress(consumed: input.count, need: .close)
    }

    /// Counts the connection among those of the desktop or of assistants.
    ///
    /// - Throws: ``Excess`` if there are too many.
    func move(to kind: AccountClass, on loop: isolated EventLoop) throws(Excess) {
        let other = loop.account(of: peer.userID, kind)
        guard other !== account else { return }
        account.give(.connections)
        do throws(Excess) {
            try other.take(.connections)
        } catch {
            account.hold(.connections, 1)
            throw error
        }
        account = other
        loop.move(id, to: other)
    }

    func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8] {
        service.log.ended(fault, of: peer, on: loop)
        return []
    }

    func closed(on loop: isolated EventLoop) {
        abandonRequest(on: loop)
        account.give(.connections)
    }

    /// Ends waiting work, if any, with a response of the daemon.
    func interrupt(with response: Response, on loop: isolated EventLoop) {
        interruptRequest(with: response, on: loop)
    }

    /// Ends off-loop work for a call, if any, because the time limit for stopping has expired.
    func stopJob(on loop: isolated EventLoop) {}

    /// Ends work that cannot finish after the daemon stops.
    func prepareForStop(on loop: isolated EventLoop) {}
}

// MARK: - A request that waits for an async stage or for a client that receives

extension ClientSession {
    /// Ends the waiting request, if there is one, with a response of the daemon.
    private func interruptRequest(with response: Response, on loop: isolated EventLoop) {
        guard endWaiting(on: loop) else { return }
        processor.host.time = loop.time
        waiting?.held.execution.interrupt(with: response, processor.host)
    }

    /// Keeps the request that the processor has started as the waiting one.
    func wait(_ answer: consuming PendingAnswer, on loop: isolated EventLoop) {
        let held = processor.takeExecution()
        let account = loop.account(of: peer.userID, held.execution.request.receivedOrigin.accountClass)
        let byteCount = held.execution.request.byteCount
        let excess: Excess?
        do throws(Excess) {
            try account.take(.requests, bytes: byteCount)
            excess = nil
        } catch {
            excess = error
        }
        waiting = WaitingRequest(
            answer: answer, held: held, pipeline: processor.pipeline, account: excess == nil ? account : nil,
            byteCount: byteCount, number: processor.monitor.noteWaiting(held), start: loop.now,
            timeLeft: processor.limits.handlerTime)
        isWaiting = true
        if let excess { return interruptRequest(with: .error(CallbackError(.tooMany, excess.description)), on: loop) }
        if processor.phase == .outOfTime { return interruptRequest(with: .error(.shuttingDown), on: loop) }
        runStage(on: loop)
    }

    private func timer(after delay: Duration, on loop: isolated EventLoop) -> DelayedCall {
        loop.call(after: delay) { [unowned self] in
            let stage = waiting?.held.execution.asyncStage
            let isAsking = if case .handle? = stage { false } else { stage?.limit != nil }
            if let request = waiting?.held.execution.request {
                noteLimit(of: request, stage?.limit, isAsking, isIdle: waiting?.isIdle(at: loop.now) == true)
            }
            interruptRequest(with: .error(isAsking ? .notAllowedInTime : .handlerTimedOut), on: loop)
        }
    }

    /// Records which limit ends a request, and where it is set.
    private func noteLimit(of request: Request, _ own: Duration?, _ isAsking: Bool, isIdle: Bool) {
        guard let route = request.matchedRoute else { return }
        if isIdle, let limit = route.stages.settings.idleTimeout {
            let cause = "no progress for \(limit): 'idle' in 'timeout' of the route at \(route.place)"
            return processor.host.note(cause: cause, of: request)
        }
        let limit = own ?? route.timeout ?? processor.limits.handlerTime
        let setting =
            if isAsking {
                own == LinkForm.limit ? "that of a form" : "'timeout' of a policy"
            } else if own != nil {
                "that for the start of a detached program"
            } else {
                route.timeout != nil ? "'timeout'" : "'handler-time' in 'limits', or 'timeout'"
            }
        processor.host.note(cause: "the limit is \(limit): \(setting) of the route at \(route.place)", of: request)
    }

    /// Runs the async stage, or delivers the request; the loop runs one at a time for each session.
    private func runStage(on loop: isolated EventLoop) {
        guard let held = waiting?.held else { return }
        if let route = held.execution.request.matchedRoute, route !== waiting?.limitedRoute {
            let idle = route.stages.settings.idleTimeout
            waiting?.use(route.timeout ?? processor.limits.handlerTime, idle: idle, of: route)
        }
        stageCount += 1
        let number = stageCount
        let stage = held.execution.asyncStage
        let time = waiting?.begin(stage: number, limit: stage?.limit, at: loop.now) { timer(after: $0, on: loop) }
        if let stage {
            let task = Task.immediate(executorPreference: loop.executor) {
                resume(number, with: await stage.run(processor.host), on: loop)
            }
            waiting?.record(.task(task), for: number)
        } else if let time, let handler = held.execution.deliveringHandler {
            // A delivery needs no task, because the client's response calls back.
            let delivery = service.streams.receivers.deliver(
                held, for: self, by: handler, within: waiting?.timeLeft ?? time, on: loop)
            if let delivery { waiting?.record(.delivery(delivery), for: number) }
        }
    }

    /// Takes the result of the request's delivery.
    func endDelivery(with outcome: AsyncStage.Outcome, on loop: isolated EventLoop) {
        if let number = waiting?.stage { resume(number, with: outcome, on: loop) }
    }

    private func resume(_ number: Int, with outcome: AsyncStage.Outcome, on loop: isolated EventLoop) {
        guard let timer = waiting?.end(stage: number, at: loop.now) else { return }
        loop.cancel(timer)
        processor.host.time = loop.time
        if case .failed(let error) = outcome, let request = waiting?.held.execution.request {
            service.log.failed(request, error, on: loop)
        }
        waiting?.held.execution.resume(with: outcome)
        if advance() { endWaiting(on: loop) } else { runStage(on: loop) }
    }

    private func advance() -> Bool {
        guard let pipeline = waiting?.pipeline else { return true }
        return waiting?.held.execution.advance(in: pipeline, processor.host) ?? true
    }

    /// The request whose handler is awaited, as `Status` shows it, and when the wait began; nil if there is none.
    func awaited(at now: Duration) -> (start: Duration, json: JSONValue)? {
        guard waiting?.isDone == false, let start = waiting?.start, let request = waiting?.held.execution.request
        else { return nil }
        let json: JSONValue = [
            "id": .text(request.id?.description), "route": .string(request.route),
            "origin": .string(request.receivedOrigin.rawValue), "peer": peer.json,
            "time": .number(JSONNumber(seconds: now - start)),
        ]
        return (start, json)
    }

    /// Keeps the progress of a request that waits, until its client can get it.
    func take(_ progress: RequestProgress, of request: RequestID? = nil, on loop: isolated EventLoop) {
        guard let own = waiting?.held.execution.request, request == nil || own.id == request else { return }
        // A notification shows it, and the desktop keeps what it has shown.
        let progress = own.hasSecrets && own.receivedOrigin == .desktop ? progress.withoutText : progress
        if let timer = waiting?.renew(at: loop.now, { self.timer(after: $0, on: loop) }) { loop.cancel(timer) }
        guard wantsProgress, let delay = waiting?.keep(progress, at: loop.now) else { return }
        if delay == .zero { return loop.wake(id) }
        _ = loop.call(after: delay) { [id] in loop.wake(id) }
    }

    /// Returns the reply with the newest progress of the waiting request, if its client can get it now.
    func takeProgress(on loop: isolated EventLoop) -> JSONValue? {
        guard let id = waiting?.held.execution.request.id, let progress = waiting?.takeProgress(at: loop.now) else {
            return nil
        }
        return .object((progress.reply.members ?? []) + [.init("id", .string(id.description))])
    }

    /// Ends the wait; work in progress for the request is cancelled.
    ///
    /// - Returns: Whether a request was waiting.
    @discardableResult
    private func endWaiting(on loop: isolated EventLoop) -> Bool {
        guard let (work, timer) = waiting?.end() else { return false }
        if let timer { loop.cancel(timer) }
        switch work {
        case .task(let task)?: task.cancel()
        case .delivery(let delivery)?:
            if let account = waiting?.account, service.streams.receivers.leave(delivery, of: account, on: loop) {
                waiting?.release(isLeft: true)
            }
        case nil: break
        }
        loop.wake(id)
        return true
    }

    /// Returns the answer of the waiting request, whose execution becomes the current one, with its number and duration; nil
    /// if it still waits.
    func takeFinished(on loop: isolated EventLoop) -> FinishedRequest? {
        guard waiting?.isDone == true, var finished = waiting.take() else { return nil }
        isWaiting = false
        finished.release()
        processor.takeBack(finished.held)
        return FinishedRequest(answer: finished.answer, waited: (finished.number, loop.now - finished.start))
    }

    /// Abandons the waiting request: its client has disconnected.
    ///
    /// All that sees the end of a request sees its end, too: only the answer is not sent.
    private func abandonRequest(on loop: isolated EventLoop) {
        interruptRequest(with: .cancel, on: loop)
        guard let finished = takeFinished(on: loop) else { return }
        _ = processor.reply(finished.answer, waited: finished.waited, in: recorded, on: loop)
    }
}

/// The answer of a request that has waited, to be written.
struct FinishedRequest: ~Copyable {
    let answer: PendingAnswer
    let waited: (number: Int, time: Duration)
}

extension CallbackError {
    fileprivate static let notAllowedInTime = CallbackError(.timedOut, "The request was not allowed in time.")
    fileprivate static let handlerTimedOut = CallbackError(.timedOut, "The handler did not answer in time.")
    static let shuttingDown = CallbackError(.unavailable, "The daemon is shutting down.")
}

// MARK: - The first byte

/// A conversation without a dialect: the client's first byte selects one, and a ``LineSession`` or a ``VarlinkSession``
/// replaces it.
final class NewSession: ClientSession {
    override func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        guard let start = input.indices.first(where: { !isBlank(input[$0]) }) else {
            return Progress(consumed: input.count, need: .input)
        }
        let session: ClientSession
        if isSchemeByte(input[start], isFirst: true) {
            session = LineSession(client, account)
        } else if input[start] == UInt8(ascii: "{") {
            session = VarlinkSession(client, account)
        } else {
            // Other dialects are not supported, so the client gets no answer.
            return Progress(consumed: input.count, need: .close)
        }
        loop.replaceSession(of: id, with: session)
        let rest = input.extracting(start..<input.count)
        let progress = session.proceed(rest, isAtEnd: isAtEnd, &output, on: loop)
        return Progress(consumed: start + progress.consumed, need: progress.need)
    }
}
