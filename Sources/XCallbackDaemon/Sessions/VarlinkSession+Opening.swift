import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL
import XCallbackWire

// Requests that calls open, and followed answers.
extension VarlinkSession {
    /// Opens the URL of a call as a request.
    func open(_ parameters: OpenParameters, _ output: inout ByteBuffer, on loop: isolated EventLoop) {
        let origin = origin(declared: parameters.origin)
        if origin != self.origin, origin.isForeign {
            do throws(Excess) {
                try move(to: origin.accountClass, on: loop)
            } catch {
                return reply(refusing: CallbackError(.tooMany, error.description), into: &output)
            }
        }
        // The previous call has left `followed` nil.
        if parameters.follows { followed = FollowedAnswer(from: origin) }
        let url = parameters.bytes.span.extracting(parameters.url)
        open(url, origin, by: parameters.route, into: &output, on: loop)
    }

    /// Returns the origin of the requests of a call, which can declare one, unless its socket determines it.
    func origin(declared: Origin?) -> Origin {
        switch declared {
        case .desktop?: origin == .agent ? .agent : .desktop
        case .agent?: .agent
        case .socket?, .internal?, nil: origin
        }
    }

    /// Opens a URL as a request, and replies to the call unless the request waits.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin of the URL.
    ///   - id: The ID of the preceding request in the call; nil if there is none.
    ///   - route: The identity of the only route that may answer; nil if every route may.
    ///   - output: The buffer to append to.
    ///   - loop: The event loop.
    func open(
        _ url: Span<UInt8>, _ origin: Origin, as id: RequestID? = nil, by route: String? = nil,
        into output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        let limit = service.limits.line
        switch service.answerer.open(
            url, as: id, from: peer, origin: origin, limit: limit, at: loop.time, by: route)
        {
        case .waits(let answer):
            replySource = .request
            wait(answer, on: loop)
        case .refused(let error): reply(refusing: error, into: &output)
        case .ended(let answer): end(answer, into: &output, on: loop)
        }
    }

    /// Continues a request that waited; false if it still waits.
    func finishOpen(into output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        guard let finished = takeFinished(on: loop) else { return false }
        let waited = (finished.number, loop.now - finished.start)
        service.answerer.takeBack(finished.held)
        end(finished.answer, waited: waited, into: &output, on: loop)
        if case .none = replySource { return true }
        return false
    }

    /// Replies to the call whose request has ended, or continues with the next request if the answer is one.
    private func end(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil,
        into output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        replySource = .none
        // A request that did not wait ran no stage that could fail.
        let cause = (waited == nil ? nil : takeCause()) ?? closestRoute()
        let notice = notice()
        guard followed != nil else {
            let start = conversation.beginReply(into: &output)
            service.answerer.reply(answer, waited: waited, cause: cause, notice: notice, into: &output)
            return conversation.finishReply(from: start, into: &output)
        }
        if followed?.notice == nil { followed?.notice = notice }
        follow(service.answerer.report(answer, waited: waited, cause: cause), into: &output, on: loop)
    }

    /// Returns the text that the desktop shows after a success of the current request; nil if there is none.
    private func notice() -> String? {
        let execution = service.answerer.execution
        guard let route = execution.request.matchedRoute, let text = route.stages.notice,
            execution.request.receivedOrigin == .desktop, case .success = execution.response
        else { return nil }
        return text(execution.request)
    }

    /// Returns the reason why the current request failed, for clients that may see the log.
    private func takeCause() -> String? {
        let execution = service.answerer.execution
        let cause = service.failureCauses.take(execution.request.id)
        guard case .error = execution.response, execution.request.receivedOrigin != .agent else { return nil }
        return service.mayAll(peer) ? cause : nil
    }

    /// Returns what was probably meant by a request that the daemon has refused, for its own user and root; an assistant
    /// is not told.
    private func closestRoute() -> String? {
        guard case .error(let error) = service.answerer.execution.response, (400..<500).contains(error.code.rawValue)
        else {
            return nil
        }
        let execution = service.answerer.execution
        guard !execution.isHandled, service.mayAll(peer), execution.request.receivedOrigin != .agent else { return nil }
        return service.answerer.pipeline.cause(of: error, for: execution.request)
    }

    /// Continues with a followed answer, which becomes the next request or the result of the call.
    func follow(_ report: FollowedAnswer.Report, into output: inout ByteBuffer, on loop: isolated EventLoop) {
        do throws(CallbackError) {
            if let url = try followed?.next(after: report, service.answerer.pipeline), let origin = followed?.origin {
                return open(url.span, origin, as: report.id, into: &output, on: loop)
            }
        } catch {
            return reply(refusing: error, of: report.id, into: &output)
        }
        let told = followed.take()
        reply(told?.report ?? report, open: told?.open, notice: told?.notice, into: &output)
    }

    /// Replies to the call that the request is rejected.
    private func reply(refusing error: CallbackError, of id: RequestID? = nil, into output: inout ByteBuffer) {
        var answer = ByteBuffer()
        answer.append(refusal: error)
        let refusal = FollowedAnswer.Report(
            response: .error(error), isHandled: false, answer: answer.contents, hasExplicitTarget: false, id: id)
        reply(followed.take()?.report ?? refusal, open: nil, into: &output)
    }

    private func reply(
        _ report: FollowedAnswer.Report, open: [UInt8]?, notice: String? = nil, into output: inout ByteBuffer
    ) {
        replySource = .none
        let start = conversation.beginReply(into: &output)
        output.append(
            replyOf: report.response, isHandled: report.isHandled, answer: report.answer.span, open: open,
            id: report.id, cause: report.cause, notice: notice)
        conversation.finishReply(from: start, into: &output)
    }
}
