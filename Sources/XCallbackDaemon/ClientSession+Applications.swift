import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

// MARK: - Calls of other applications

extension ClientSession {
    /// How long a caller may want to wait.
    private static let longestTime = Duration.seconds(86_400)

    /// Tells the client what to open, and lets the call wait for the application's answer.
    func callApplication(
        _ call: VarlinkCall, in input: Span<UInt8>, _ calls: VarlinkDialect, _ buffers: CallBuffers,
        on loop: isolated EventLoop
    ) {
        guard service.mayAll(peer) else { return calls.pending = .reply(.failure(.permissionDenied)) }
        guard !service.isSystem else { return calls.pending = .reply(.failure(.noSession)) }
        let parameters = call.parameters(in: input, buffers.layout)
        guard case .string(let text)? = parameters["url"], let limit = limit(parameters["timeout"]) else {
            return calls.pending = .reply(.failure(.invalidParameter("timeout")))
        }
        let url = Array(text.utf8)
        if service.answerer.pipeline.isToAnswer(url.span) {
            calls.delivery = Delivery(from: .socket)
            return open(url.span, .socket, calls, into: &buffers.replies, on: loop)
        }
        var application = ApplicationCall(token: service.tokens.make().description)
        do throws(CallbackError) {
            let target = try begin(&application, url.span, on: loop)
            calls.conversation.continue(with: ["open": .string(target)], into: &buffers.replies)
            loop.setDeadline(of: id, after: limit)
        } catch {
            application.ending = .error(error)
        }
        calls.pending = .application(application)
        _ = finish(application, calls, into: &buffers.replies, on: loop)
    }

    /// How long a call may wait; nil if that is not valid.
    private func limit(_ value: JSONValue?) -> Duration? {
        guard case .number(let number)? = value else { return service.limits.callTime }
        guard let seconds = Double(number.text), seconds > 0, seconds <= Double(Self.longestTime.components.seconds)
        else { return nil }
        return .seconds(seconds)
    }

    /// Stores the call, then tells what is to be opened.
    private func begin(
        _ call: inout ApplicationCall, _ url: Span<UInt8>, on loop: isolated EventLoop
    ) throws(CallbackError) -> String {
        let target = try call.prepare(url, service.answerer.pipeline)
        if service.isOutOfTime { throw .shuttingDown }
        let limit = service.limits.pendingCalls
        guard service.answerer.state.calls.count < limit else { throw .tooManyCalls(limit: limit) }
        let id = id
        service.answerer.state.calls.begin(call.token, of: peer.userID) { [unowned loop] in
            loop.assumeIsolated { $0.wake(id) }
        }
        service.beginCall(self, id)
        return String(utf8: target.span)
    }

    /// Ends the call, if one waits, without the application.
    ///
    /// - Returns: Whether one has waited.
    func endApplicationCall(
        _ calls: VarlinkDialect, with response: Response, on loop: isolated EventLoop
    ) -> Bool {
        guard case .application(var call) = calls.pending, call.ending == nil else { return false }
        // An answer that is there already counts, and is taken when the session goes on.
        call.ending = response
        calls.pending = .application(call)
        loop.wake(id)
        return true
    }

    /// Replies to the call if the application has answered, or will not any more; false if it waits.
    func finish(
        _ call: ApplicationCall, _ calls: VarlinkDialect, into replies: inout [UInt8], on loop: isolated EventLoop
    ) -> Bool {
        let returned = service.answerer.state.calls.takeAnswer(to: call.token)
        guard let response = returned ?? call.ending else { return false }
        service.answerer.state.calls.end(call.token)
        service.endCall(id)
        loop.setDeadline(of: id, after: nil)
        let (answer, namesSomebody) = call.answer(to: response)
        calls.delivery = Delivery(
            from: .socket,
            report: Delivery.Report(response: response, isHandled: returned != nil, answer: answer))
        calls.delivery?.take(answer.span, namesSomebody: namesSomebody, service.answerer.pipeline)
        deliver([], calls, into: &replies, on: loop)
        if case .nothing = calls.pending { return true }
        return false
    }
}

extension VarlinkError {
    /// The daemon is the system's.
    fileprivate static let noSession = VarlinkError("\(RouterInterface.name).NoSession")
}

extension CallbackError {
    static let applicationTimedOut = CallbackError(.timedOut, "The application did not answer in time.")

    fileprivate static func tooManyCalls(limit: Int) -> CallbackError {
        CallbackError(.tooMany, "More than \(limit) calls wait for their answers (limits: pending-calls).")
    }
}
