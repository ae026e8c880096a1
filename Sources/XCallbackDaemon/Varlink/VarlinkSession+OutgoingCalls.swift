import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

// Calls of other applications.
extension VarlinkSession {
    /// Sends the client the URL to open, and lets the call wait for the application's answer.
    func beginOutgoingCall(
        _ parameters: VarlinkObject, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) throws(VarlinkError) {
        let url = Array(try parameters.required("url").text().utf8)
        let limit = try parameters.timeout() ?? processor.limits.callTime
        let readsForm = try parameters.optional("form")?.truth() ?? false
        guard !service.site.isSystem else { throw .noSession }
        if processor.pipeline.answersItself(url.span) {
            followed = FollowedAnswer(origin: .socket)
            return open(url.span, .socket, into: &output, on: loop)
        }
        var call = OutgoingCall()
        do throws(CallbackError) {
            let target = try begin(&call, url.span, readingForm: readsForm, on: loop)
            call.timer = loop.call(after: limit) { [unowned self] in
                _ = endOutgoingCall(with: .error(.applicationTimedOut), on: loop)
            }
            replySource = .outgoingCall(call)
            conversation.continue(with: ["open": .string(target)], into: &output)
        } catch {
            _ = call.interrupt(with: .error(error))
            _ = finish(call, into: &output, on: loop)
        }
    }

    /// Lets the call wait for its answer.
    ///
    /// - Returns: The URL to open.
    private func begin(
        _ call: inout OutgoingCall, _ url: Span<UInt8>, readingForm readsForm: Bool, on loop: isolated EventLoop
    ) throws(CallbackError) -> String {
        let layout = try call.check(url, processor.pipeline)
        if processor.phase != .serving { throw .shuttingDown }
        do throws(Excess) {
            try account.take(.streams)
        } catch {
            throw CallbackError(.tooMany, error.description)
        }
        call.account = account
        let id = id
        let scheme = String(String(utf8: url.extracting(layout.scheme)).lowercased().prefix(40))
        processor.host.calls.begin(call.token, of: peer.userID, to: scheme) { [unowned loop] in
            loop.assumeIsolated { $0.wake(id) }
        }
        return String(utf8: call.target(url, layout, readingForm: readsForm).span)
    }

    /// Removes a call that has ended, or whose caller has disconnected.
    func forget(_ call: OutgoingCall, on loop: isolated EventLoop) {
        if let timer = call.timer { loop.cancel(timer) }
        call.account?.give(.streams)
        processor.host.calls.end(call.token)
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
        let returned = processor.host.calls.takeAnswer(to: call.token)
        guard let response = returned ?? call.interruption else { return false }
        forget(call, on: loop)
        let (answer, hasExplicitTarget) = call.answer(
            to: response, isReturned: returned != nil, in: processor.pipeline)
        let reply = OpenReply(
            response: response, isHandled: returned != nil, answer: answer, hasExplicitTarget: hasExplicitTarget,
            id: nil)
        followed = FollowedAnswer(origin: .socket, reply: reply)
        follow(reply, into: &output, on: loop)
        if case .none = replySource { return true }
        return false
    }
}

extension CallbackError {
    fileprivate static let applicationTimedOut = CallbackError(
        .timedOut, "The application did not answer in time.")
}
