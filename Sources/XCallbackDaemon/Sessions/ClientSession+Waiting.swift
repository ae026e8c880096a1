import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

// The request of a session that waits for an async stage or for a client that receives.
extension ClientSession {
    /// Ends the waiting request, if there is one, with a response of the daemon.
    func interruptRequest(with response: Response, on loop: isolated EventLoop) {
        guard endWaiting(on: loop) else { return }
        service.answerer.state.time = loop.time
        waiting?.held.execution.interrupt(with: response, &service.answerer.state)
    }

    /// Keeps the request that the answerer has started as the waiting one.
    func wait(_ answer: consuming PendingAnswer, on loop: isolated EventLoop) {
        let held = service.answerer.takeExecution()
        let timeout = held.execution.timeout ?? service.limits.handlerTime
        let number = service.answerer.watch.noteWaiting(held)
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
            answer: answer, held: held, pipeline: service.answerer.pipeline, account: excess == nil ? account : nil,
            byteCount: byteCount, number: number, start: loop.now, deadline: loop.now + timeout,
            timer: timer(after: timeout, on: loop))
        service.beginWaiting(self)
        if let excess { return interruptRequest(with: .error(CallbackError(.tooMany, excess.description)), on: loop) }
        if service.isOutOfTime { return interruptRequest(with: .error(.shuttingDown), on: loop) }
        runStage(on: loop)
    }

    private func timer(after delay: Duration, on loop: isolated EventLoop) -> DelayedCall {
        loop.call(after: delay) { [unowned self] in
            let isAsking = waiting?.held.execution.asyncStage?.limit != nil
            interruptRequest(with: .error(isAsking ? .nobodyAnswered : .handlerTimedOut), on: loop)
        }
    }

    /// Runs the async stage on the loop; its Task is the only one of the request at a time.
    private func runStage(on loop: isolated EventLoop) {
        guard let deadline = waiting?.deadline, let held = waiting?.held else { return }
        stageCount += 1
        let number = stageCount
        waiting?.begin(stage: number)
        let timeLeft = deadline - loop.now
        // A delivery needs no task, because the client's response calls back.
        if let handler = held.execution.deliveringHandler {
            let place = service.streams.receivers.deliver(held, for: self, by: handler, within: timeLeft, on: loop)
            if let place { waiting?.begin(.delivery(place), for: number) }
            return
        }
        guard let stage = held.execution.asyncStage else { return }
        // The clock of the request is stopped during the stage.
        if let limit = stage.limit { restartTimer(after: limit, on: loop) }
        let task = Task.immediate(executorPreference: loop.executor) {
            let outcome = await stage.run(service.answerer.state.peers)
            if stage.limit != nil, waiting?.stage == number {
                restartTimer(after: timeLeft, deadline: loop.now + timeLeft, on: loop)
            }
            resume(number, with: outcome, on: loop)
        }
        waiting?.begin(.task(task), for: number)
    }

    private func restartTimer(after delay: Duration, deadline: Duration? = nil, on loop: isolated EventLoop) {
        let timer = timer(after: delay, on: loop)
        if let old = waiting?.replaceTimer(timer, deadline: deadline) { loop.cancel(old) }
    }

    /// Takes the result of the request's delivery.
    func endDelivery(with result: Result<Response, CallbackError>, on loop: isolated EventLoop) {
        guard let number = waiting?.stage else { return }
        switch result {
        case .success(let response): resume(number, with: .handled(response), on: loop)
        case .failure(let error): resume(number, with: .refused(error), on: loop)
        }
    }

    private func resume(_ number: Int, with outcome: AsyncStage.Outcome, on loop: isolated EventLoop) {
        guard waiting?.end(stage: number) == true else { return }
        service.answerer.state.time = loop.time
        if case .failed(let error) = outcome, let request = waiting?.held.execution.request {
            service.log(error, for: request, on: loop)
        }
        waiting?.held.execution.resume(with: outcome)
        if advance() { endWaiting(on: loop) } else { runStage(on: loop) }
    }

    private func advance() -> Bool {
        guard let pipeline = waiting?.pipeline else { return true }
        return waiting?.held.execution.advance(in: pipeline, &service.answerer.state) ?? true
    }

    /// Ends the wait; work in progress for the request is cancelled.
    ///
    /// - Returns: Whether a request was waiting.
    @discardableResult
    private func endWaiting(on loop: isolated EventLoop) -> Bool {
        guard let remainder = waiting?.end() else { return false }
        loop.cancel(remainder.timer)
        switch remainder.work {
        case .task(let task)?: task.cancel()
        case .delivery(let place)?:
            if let account = waiting?.account, service.streams.receivers.leave(place, of: account, on: loop) {
                waiting?.release(isLeft: true)
            }
        case nil: break
        }
        loop.wake(id)
        return true
    }

    /// Returns the waiting request, if its response is known.
    func takeFinished(on loop: isolated EventLoop) -> WaitingRequest? {
        guard waiting?.isDone == true, var finished = waiting.take() else { return nil }
        service.endWaiting(self)
        finished.release()
        service.statistics.noteLatency(loop.now - finished.start)
        return finished
    }

    /// Abandons the waiting request: its client has disconnected.
    ///
    /// The middleware of the request sees its end.
    func abandonRequest(on loop: isolated EventLoop) {
        interruptRequest(with: .cancel, on: loop)
        guard var waiting = waiting.take() else { return }
        waiting.release()
        waiting.answer.abandon()
    }
}

extension CallbackError {
    fileprivate static let nobodyAnswered = CallbackError(.timedOut, "The request was not allowed in time.")
    fileprivate static let handlerTimedOut = CallbackError(.timedOut, "The handler did not answer in time.")
}

extension CallbackError {
    static let shuttingDown = CallbackError(.unavailable, "The daemon is shutting down.")
}
