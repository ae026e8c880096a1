import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

// MARK: - Calls of other applications

extension VarlinkSession {
    /// Sends the client the URL to open, and lets the call wait for the application's answer.
    func beginOutgoingCall(_ parameters: CallParameters, _ output: inout ByteBuffer, on loop: isolated EventLoop) {
        guard mayCall() else { return }
        let limit = parameters.timeout ?? service.limits.callTime
        let url = Array(parameters.url.utf8)
        if service.answerer.pipeline.isToAnswer(url.span) {
            followed = FollowedAnswer(from: .socket)
            return open(url.span, .socket, into: &output, on: loop)
        }
        var application = OutgoingCall()
        do throws(CallbackError) {
            let target = try begin(&application, url.span, readingForm: parameters.readsForm, on: loop)
            application.timer = loop.call(after: limit) { [unowned self] in
                _ = endOutgoingCall(with: .error(.applicationTimedOut), on: loop)
            }
            replySource = .outgoingCall(application)
            conversation.continue(with: ["open": .string(target)], into: &output)
        } catch {
            _ = application.interrupt(with: .error(error))
            _ = finish(application, into: &output, on: loop)
        }
    }

    /// Whether the client may call other applications; if not, replies with the reason.
    private func mayCall() -> Bool {
        guard service.mayAll(peer) else {
            refuse(.permissionDenied)
            return false
        }
        guard !service.site.isSystem else {
            refuse(.noSession)
            return false
        }
        return true
    }

    /// Lets the call wait for its answer.
    ///
    /// - Returns: The URL to open.
    private func begin(
        _ call: inout OutgoingCall, _ url: Span<UInt8>, readingForm readsForm: Bool, on loop: isolated EventLoop
    ) throws(CallbackError) -> String {
        let layout = try call.check(url, service.answerer.pipeline)
        if service.isStopping { throw .shuttingDown }
        do throws(Excess) {
            try account.take(.streams)
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
        call.account = account
        let id = id
        let scheme = String(String(utf8: url.extracting(layout.scheme)).lowercased().prefix(40))
        service.answerer.state[OutgoingCalls.self].begin(call.token, of: peer.userID, to: scheme) { [unowned loop] in
            loop.assumeIsolated { $0.wake(id) }
        }
        service.beginWaiting(self)
        return String(utf8: call.target(url, layout, readingForm: readsForm).span)
    }

    /// Removes a call that has ended, or whose caller has disconnected.
    func forget(_ call: OutgoingCall, on loop: isolated EventLoop) {
        if let timer = call.timer { loop.cancel(timer) }
        call.account?.give(.streams)
        service.answerer.state[OutgoingCalls.self].end(call.token)
    }

    /// Ends the waiting call, if there is one, without the application.
    ///
    /// - Returns: Whether a call was waiting.
    func endOutgoingCall(with response: Response, on loop: isolated EventLoop) -> Bool {
        guard case .outgoingCall(var call) = replySource, call.interrupt(with: response) else { return false }
        replySource = .outgoingCall(call)
        loop.wake(id)
        return true
    }

    /// Replies to the call if the application has answered, or can no longer answer; false if the call still waits.
    func finish(_ call: OutgoingCall, into output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        let returned = service.answerer.state[OutgoingCalls.self].takeAnswer(to: call.token)
        guard let response = returned ?? call.interruption else { return false }
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
}

extension CallbackError {
    static let applicationTimedOut = CallbackError(.timedOut, "The application did not answer in time.")
}
