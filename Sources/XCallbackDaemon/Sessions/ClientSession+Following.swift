import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

extension ClientSession {
    /// Asks for the answer to a URL, and replies to the call that wants it unless it has to wait.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The way on which it has come in.
    ///   - calls: Where the conversation is, and what is to become of the answer.
    ///   - replies: Where the reply is appended.
    ///   - loop: The loop that calls.
    func open(
        _ url: Span<UInt8>, _ origin: Origin, _ calls: VarlinkDialect, into replies: inout [UInt8],
        on loop: isolated EventLoop
    ) {
        if let answer = ask(url, origin, on: loop) {
            calls.pending = .request
            return wait(answer, on: loop)
        }
        if calls.followed != nil {
            var reply: [UInt8] = []
            service.answerer.appendReply(to: &reply, &calls.followed)
            return follow(reply, calls, into: &replies, on: loop)
        }
        service.answerer.reply(in: &calls.conversation, to: &replies)
    }

    private func ask(_ url: Span<UInt8>, _ origin: Origin, on loop: isolated EventLoop) -> PendingAnswer? {
        service.answerer.open(url, from: peer, origin: origin, limit: service.limits.line, at: loop.time)
    }

    /// Goes on after a request: asks for the next one, if the call wants followed and there is one, or replies to the
    /// call.
    ///
    /// - Parameters:
    ///   - reply: What there is to reply after this request.
    ///   - calls: Where the conversation is, and what is to become of the answer.
    ///   - replies: Where the reply is appended.
    ///   - loop: The loop that calls.
    func follow(
        _ reply: [UInt8], _ calls: VarlinkDialect, into replies: inout [UInt8], on loop: isolated EventLoop
    ) {
        var reply = reply
        do throws(CallbackError) {
            while let followed = calls.followed, let url = try calls.followed?.takeNext() {
                if let answer = ask(url.span, followed.origin, on: loop) {
                    calls.pending = .request
                    return wait(answer, on: loop)
                }
                reply.removeAll(keepingCapacity: true)
                service.answerer.appendReply(to: &reply, &calls.followed)
            }
        } catch {
            reply = Self.reply(refusing: error)
        }
        if let followed = calls.followed.take(), let report = followed.report {
            reply.removeAll(keepingCapacity: true)
            reply.append(
                replyOf: report.response, isHandled: report.isHandled, answer: report.answer.span,
                open: followed.open)
        }
        finish(calls, with: reply, into: &replies)
    }

    /// Writes the reply to the call: an object.
    func finish(_ calls: VarlinkDialect, with reply: [UInt8], into replies: inout [UInt8]) {
        calls.pending = .nothing
        calls.conversation.finish(into: &replies, atMost: reply.count) { $0.append(contentsOf: reply.span) }
    }

    /// The reply to a call whose request is refused.
    private static func reply(refusing error: CallbackError) -> [UInt8] {
        var answer = ByteBuffer()
        PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &answer)
        var reply: [UInt8] = []
        reply.append(
            replyOf: .error(error), isHandled: false, answer: answer.bytes.span.extracting(0..<answer.count))
        return reply
    }
}
