import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL
import XCallbackVarlink

// Requests that calls open, and the answers to them that are followed.
extension VarlinkSession {
    /// Asks for the answer to the URL of a call.
    func open(
        _ call: VarlinkCall, in input: Span<UInt8>, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        // As most clients ask: the URL, and nothing else.
        if let url = call.loneText { return open(input.extracting(url), origin, into: &output, on: loop) }
        guard let url = call.string(of: "url", in: input, service.layout), let origin = origin(of: call, in: input)
        else { return }
        if origin.isForeign {
            do throws(Excess) {
                try move(to: origin.accountClass, on: loop)
            } catch {
                return reply(refusing: CallbackError(.tooMany, error.description), into: &output)
            }
        }
        // The call before this one has left none.
        if call.truth(of: "follow", in: input, service.layout) == true { followed = FollowedAnswer(from: origin) }
        let route = call.string(of: "route", in: input, service.layout)?.text(in: input)
        switch url {
        case .inPlace(let range): open(input.extracting(range), origin, by: route, into: &output, on: loop)
        case .decoded(let bytes): open(bytes.span, origin, by: route, into: &output, on: loop)
        }
    }

    /// The origin that a call declares, unless its socket gives it; nil if it may not, which is its reply then.
    func origin(of call: VarlinkCall, in input: Span<UInt8>) -> Origin? {
        guard let declared = call.string(of: "origin", in: input, service.layout) else { return origin }
        switch declared.text(in: input) {
        case "socket": return origin
        case "desktop": return origin == .agent ? .agent : .desktop
        case "agent": return .agent
        // Nothing that comes over a socket is internal.
        default:
            refuse(.invalidParameter("origin"))
            return nil
        }
    }

    /// Asks for the answer to a URL, and replies to the call unless the request waits.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The way on which it came in.
    ///   - id: What the request is called that it follows from; nil for one that follows from none.
    ///   - route: What tells the only route from others that may answer; nil if every route may.
    ///   - output: Where the reply is appended.
    ///   - loop: The loop.
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

    /// Goes on with the request that has waited; false if it still does.
    func finishOpen(into output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        guard let finished = takeFinished(on: loop) else { return false }
        let waited = (finished.number, loop.now - finished.start)
        service.answerer.takeBack(finished.held)
        end(finished.answer, waited: waited, into: &output, on: loop)
        if case .none = replySource { return true }
        return false
    }

    /// Replies to the call whose request has ended, or goes on with the next request if its answer is one.
    private func end(
        _ answer: consuming PendingAnswer, waited: (number: Int, time: Duration)? = nil,
        into output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        replySource = .none
        // What has not waited has met nothing that could fail.
        let cause = waited == nil ? nil : takeCause(on: loop)
        guard followed != nil else {
            let start = conversation.beginReply(into: &output)
            service.answerer.reply(answer, waited: waited, cause: cause, into: &output)
            return conversation.finishReply(from: start, into: &output)
        }
        follow(service.answerer.report(answer, waited: waited, cause: cause), into: &output, on: loop)
    }

    /// Why the request that was begun last has failed, if the client may know it: whoever may see the log.
    private func takeCause(on loop: isolated EventLoop) -> String? {
        let walk = service.answerer.walk
        guard case .error(let error) = walk.response, (500..<600).contains(error.code.rawValue) else { return nil }
        let cause = loop.failureCauses.take(walk.request.id)
        return service.mayAll(peer) && walk.request.receivedOrigin == .socket ? cause : nil
    }

    /// Goes on with an answer that is followed: it is the next request, or what the call is told.
    func follow(_ report: FollowedAnswer.Report, into output: inout ByteBuffer, on loop: isolated EventLoop) {
        do throws(CallbackError) {
            if let url = try followed?.next(after: report, service.answerer.pipeline), let origin = followed?.origin {
                return open(url.span, origin, as: report.id, into: &output, on: loop)
            }
        } catch {
            return reply(refusing: error, of: report.id, into: &output)
        }
        let told = followed.take()
        reply(told?.report ?? report, open: told?.open, into: &output)
    }

    /// Replies to the call that its request is refused.
    private func reply(refusing error: CallbackError, of id: RequestID? = nil, into output: inout ByteBuffer) {
        var answer = ByteBuffer()
        answer.append(refusal: error)
        let refusal = FollowedAnswer.Report(
            response: .error(error), isHandled: false, answer: answer.contents, namesSomebody: false, id: id)
        reply(followed.take()?.report ?? refusal, open: nil, into: &output)
    }

    private func reply(_ report: FollowedAnswer.Report, open: [UInt8]?, into output: inout ByteBuffer) {
        replySource = .none
        let start = conversation.beginReply(into: &output)
        output.append(
            replyOf: report.response, isHandled: report.isHandled, answer: report.answer.span, open: open,
            id: report.id, cause: report.cause)
        conversation.finishReply(from: start, into: &output)
    }
}
