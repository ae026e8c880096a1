import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

// The request of a session that waits for an async stage or for a client that receives.
extension ClientSession {
    /// Ends the request that waits, if there is one, with a response of the daemon.
    func interruptRequest(with response: Response, on loop: isolated EventLoop) {
        guard waiting?.isDone == false else { return }
        stageNumber += 1
        waiting?.task?.cancel()
        if let slot = deliverySlot.take() { service.receivers.cancel(slot, on: loop) }
        service.answerer.state.time = loop.time
        waiting?.held.walk.interrupt(with: response, &service.answerer.state)
        endWaiting(on: loop)
    }

    /// Lets the request wait that the answerer has begun.
    func wait(_ answer: consuming PendingAnswer, on loop: isolated EventLoop) {
        let held = service.answerer.takeWalk()
        let timeout = held.walk.timeout ?? service.limits.handlerTime
        let number = service.answerer.watch.noteWaiting(held)
        waiting = WaitingRequest(
            answer: answer, held: held, pipeline: service.answerer.pipeline, deadline: loop.now + timeout,
            number: number, start: loop.now)
        service.beginWaiting(self)
        let account = loop.account(of: peer.userID, held.walk.request.origin.accountClass)
        do throws(Excess) {
            try account.take(.requests)
            requestAccount = account
        } catch {
            return interruptRequest(with: .error(CallbackError(.tooMany, error.description)), on: loop)
        }
        if service.isOutOfTime { return interruptRequest(with: .error(.shuttingDown), on: loop) }
        loop.setDeadline(of: id, after: timeout)
        runStage(on: loop)
    }

    /// Runs the stage that has to wait, on the loop; its Task is the only one of the request at a time.
    private func runStage(on loop: isolated EventLoop) {
        guard let deadline = waiting?.deadline else { return }
        let timeLeft = deadline - loop.now
        // That costs no task, as the client's response calls back.
        if let held = waiting?.held, let handler = held.walk.deliveringHandler {
            return service.receivers.deliver(held, for: self, by: handler, within: timeLeft, on: loop)
        }
        guard let stage = waiting?.held.walk.asyncStage else { return }
        stageNumber += 1
        // The time of the request stands still meanwhile.
        if let limit = stage.limit { loop.setDeadline(of: id, after: limit) }
        let number = stageNumber
        waiting?.task = Task.immediate(executorPreference: loop.executor) {
            let outcome = await stage.run(service.answerer.state.peers)
            if stage.limit != nil { restartClock(of: number, with: timeLeft, on: loop) }
            resume(number, with: outcome, on: loop)
        }
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
        if case .failed(let error) = outcome {
            service.log(error, of: waiting?.held.walk.request.route ?? "", for: account, on: loop)
        }
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

    /// The request that waited, if it has come to its end.
    func takeFinished(on loop: isolated EventLoop) -> WaitingRequest? {
        guard waiting?.isDone == true, let finished = waiting.take() else { return nil }
        service.endWaiting(self)
        requestAccount.take()?.give(.requests)
        service.noteLatency(loop.now - finished.start)
        return finished
    }
}

extension CallbackError {
    static let shuttingDown = CallbackError(.unavailable, "The daemon is shutting down.")
}
