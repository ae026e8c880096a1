import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

// MARK: - Calls of other applications

extension VarlinkSession {
    /// Sends the client the URL to open, and lets the call wait for the application's answer.
    func beginOutgoingCall(
        _ call: VarlinkCall, in input: Span<UInt8>, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        guard mayCall() else { return }
        let parameters = call.parameters(in: input, service.layout)
        guard case .string(let text)? = parameters["url"], let limit = limit(parameters["timeout"]) else {
            return refuse(.invalidParameter("timeout"))
        }
        let url = Array(text.utf8)
        if service.answerer.pipeline.isToAnswer(url.span) {
            followed = FollowedAnswer(from: .socket)
            return open(url.span, .socket, into: &output, on: loop)
        }
        let token = Token.random().description
        var application = OutgoingCall(token: token)
        do throws(CallbackError) {
            let readsForm = parameters["form"]?.truth ?? false
            let target = try begin(&application, url.span, token, readingForm: readsForm, on: loop)
            application.timer = timer(after: limit, on: loop)
            replySource = .outgoingCall(application)
            service.keptCalls.keep(
                token, of: peer.userID, for: limit, maximum: service.limits.capacity[.streams],
                service.announcer.logger, on: loop
            ) { [self] kept in
                tellTarget(target, of: application.key, kept, limit, on: loop)
            }
        } catch {
            _ = application.interrupt(with: .error(error))
            wait(application, into: &output, on: loop)
        }
    }

    private func timer(after delay: Duration, on loop: isolated EventLoop) -> DelayedCall {
        loop.call(after: delay) { [unowned self] in
            _ = endOutgoingCall(with: .error(.applicationTimedOut), on: loop)
        }
    }

    /// Lets a call to an earlier daemon continue to wait for a reconnected caller.
    func resumeOutgoingCall(
        _ call: VarlinkCall, in input: Span<UInt8>, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        guard mayCall() else { return }
        let parameters = call.parameters(in: input, service.layout)
        let url = Array((parameters["url"]?.text ?? "").utf8)
        let secret = parameters["secret"]?.text ?? ""
        guard var application = service.keptCalls.resume(secret, peer.userID, on: loop), let record = application.record
        else {
            // Until all of them are read, the client must retry.
            return refuse(service.keptCalls.isReading ? .stopping : .unknownCall)
        }
        do throws(CallbackError) {
            try application.check(url.span, service.answerer.pipeline)
            let id = id
            service.answerer.state[OutgoingCalls.self].redirect(application.key) { [unowned loop] _ in
                loop.assumeIsolated { $0.wake(id) }
                return nil
            }
            service.beginWaiting(self)
            application.timer = timer(after: max(record.deadline - wallTime(), .zero), on: loop)
        } catch {
            _ = application.interrupt(with: .error(error))
        }
        wait(application, into: &output, on: loop)
        if service.life.isStopping { leaveOutgoingCall(on: loop) }
    }

    /// Whether the client may call other applications; if not, replies with the reason.
    private func mayCall() -> Bool {
        guard service.mayAll(peer) else {
            refuse(.permissionDenied)
            return false
        }
        guard !service.isSystem else {
            refuse(.noSession)
            return false
        }
        return true
    }

    /// The time limit of a call; nil if it is invalid.
    private func limit(_ value: JSONValue?) -> Duration? {
        guard case .number(let number)? = value else { return service.limits.callTime }
        guard let seconds = Double(number.text), seconds > 0,
            seconds <= Double(OutgoingCall.longestTime.components.seconds)
        else { return nil }
        return .seconds(seconds)
    }

    /// Lets the call wait for its answer.
    ///
    /// - Returns: The URL to open once the call is kept.
    private func begin(
        _ call: inout OutgoingCall, _ url: Span<UInt8>, _ token: String, readingForm readsForm: Bool,
        on loop: isolated EventLoop
    ) throws(CallbackError) -> String {
        let layout = try call.check(url, service.answerer.pipeline)
        if service.isOutOfTime { throw .shuttingDown }
        do throws(Excess) {
            try account.take(.streams)
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
        call.account = account
        let id = id
        service.answerer.state[OutgoingCalls.self].begin(token, of: peer.userID) { [unowned loop] in
            loop.assumeIsolated { $0.wake(id) }
        }
        service.beginWaiting(self)
        return String(utf8: call.target(url, layout, returningWith: token, readingForm: readsForm).span)
    }

    /// Sends the client the URL to open, after the call was saved, or could not be saved.
    private func tellTarget(
        _ target: String, of key: OutgoingCalls.Key, _ kept: (record: CallRecord, secret: String)?, _ limit: Duration,
        on loop: isolated EventLoop
    ) {
        guard case .outgoingCall(var call) = replySource, call.key == key, call.isBeingKept else {
            // The call timed out, or its caller has disconnected.
            if let kept { service.keptCalls.end(kept.record) }
            return
        }
        guard kept != nil || !service.life.isStopping else {
            _ = endOutgoingCall(with: .error(.shuttingDown), on: loop)
            return
        }
        call.keep(
            kept?.record,
            opening: [
                "open": .string(target), "secret": kept.map { .string($0.secret) } ?? .null,
                "limit": .number(JSONNumber(seconds: limit)),
            ])
        replySource = .outgoingCall(call)
        loop.wake(id)
    }

    private func wait(_ call: OutgoingCall, into output: inout ByteBuffer, on loop: isolated EventLoop) {
        replySource = .outgoingCall(call)
        _ = finish(call, into: &output, on: loop)
    }

    /// Leaves the waiting call to the next daemon if the call is persistent; the client must reconnect there.
    ///
    /// Any other call ends, because no answer can arrive.
    func leaveOutgoingCall(on loop: isolated EventLoop) {
        // A client without the secret of its call gets it first.
        guard case .outgoingCall(let call) = replySource, call.isOpened else { return }
        guard let record = call.record else {
            _ = endOutgoingCall(with: .error(.shuttingDown), on: loop)
            return
        }
        // An answer that has arrived is processed when the session continues.
        let hear = hearing(record, service.announcer.logger, on: loop)
        guard service.answerer.state[OutgoingCalls.self].redirect(call.key, to: hear) else { return }
        refuse(.stopping)
        if let timer = call.timer { loop.cancel(timer) }
        call.account?.give(.streams)
        service.endWaiting(self)
        loop.wake(id)
    }

    /// Removes a call that has ended, or whose caller has disconnected.
    func forget(_ call: OutgoingCall, on loop: isolated EventLoop) {
        if let timer = call.timer { loop.cancel(timer) }
        call.account?.give(.streams)
        service.answerer.state[OutgoingCalls.self].end(call.key)
        if let record = call.record { service.keptCalls.end(record) }
    }

    /// Ends the waiting call, if there is one, without the application.
    ///
    /// - Returns: Whether a call was waiting.
    func endOutgoingCall(with response: Response, on loop: isolated EventLoop) -> Bool {
        guard case .outgoingCall(var call) = replySource else { return false }
        let timer = call.timer
        guard call.interrupt(with: response) else { return false }
        if let timer { loop.cancel(timer) }
        replySource = .outgoingCall(call)
        loop.wake(id)
        return true
    }

    /// Replies to the call if the application has answered, or can no longer answer; false if the call still waits.
    func finish(_ call: OutgoingCall, into output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        var call = call
        if let reply = call.open() {
            conversation.continue(with: reply, into: &output)
            replySource = .outgoingCall(call)
            if service.life.isStopping {
                leaveOutgoingCall(on: loop)
                return false
            }
        }
        let returned = service.answerer.state[OutgoingCalls.self].takeAnswer(to: call.key)
        guard let response = call.response(answered: returned) else { return false }
        forget(call, on: loop)
        service.endWaiting(self)
        let (answer, hasExplicitTarget) = call.answer(
            to: response, isReturned: returned != nil, in: service.answerer.pipeline)
        let report = FollowedAnswer.Report(
            response: response, isHandled: returned != nil, answer: answer, hasExplicitTarget: hasExplicitTarget,
            id: nil)
        followed = FollowedAnswer(from: .socket, report: report)
        follow(report, into: &output, on: loop)
        if case .none = replySource { return true }
        return false
    }
}

extension VarlinkError {
    /// The system's daemon belongs to no session.
    fileprivate static let noSession = VarlinkError("\(RouterInterface.name).NoSession")
    /// There is no such call to continue.
    fileprivate static let unknownCall = VarlinkError("\(RouterInterface.name).UnknownCall")
}

extension CallbackError {
    static let applicationTimedOut = CallbackError(.timedOut, "The application did not answer in time.")
}
