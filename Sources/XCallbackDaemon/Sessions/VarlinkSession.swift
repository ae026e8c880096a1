import XCallbackBuiltIns
import XCallbackBytes
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackVarlink

/// A conversation in Varlink: calls are answered in order, one at a time.
final class VarlinkSession: ClientSession {
    /// What the reply to the call that is being answered comes from.
    enum ReplySource {
        /// Nothing: there is no such call.
        case none
        /// The request that it has opened.
        case request
        /// Something that the daemon does beside the loop.
        case job
        /// It is there, and only to be written.
        case reply(Result<JSONValue, VarlinkError>)
        /// It is there as an object in JSON.
        case text([UInt8])
        /// What comes again and again.
        case stream(ReplyStream)
        /// The answer of another application; kept elsewhere, because it is large.
        indirect case outgoingCall(OutgoingCall)
    }

    /// How many bytes of a stream are written in a turn.
    private static let streamRoom = 65_536

    var conversation: VarlinkServerSession
    var replySource = ReplySource.none
    /// Whether the last reply was the end of a stream.
    private var hasEndedStream = false
    /// What becomes of the answer to the request that the call has opened, if the call wants it followed.
    var followed: FollowedAnswer?
    /// The files of a configuration that is checked, of which more follow.
    var filesToCheck = FilesToCheck()

    override init(replacing other: ClientSession) {
        conversation = VarlinkServerSession(limit: other.service.limits.message)
        super.init(replacing: other)
    }

    override func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        defer { service.noteActivity(on: loop) }
        var position = 0
        // What many are told at a time is not written for one of them alone.
        let limit = service.limits.queuedOutput
        let end = output.count + (isStreaming ? min(limit, Self.streamRoom) : limit)
        let turn = loop.beginTurn()
        var count = 0
        while output.count < end {
            guard goOn(until: end, &output, on: loop) else {
                return Progress(consumed: position, need: output.count >= end ? .room : .event)
            }
            let step = conversation.next(
                in: input, from: position, of: RouterInterface.service, &service.layout, into: &output)
            switch step {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault):
                // Any other says that the client does not speak Varlink.
                if case .tooLong(let limit) = fault {
                    conversation.refuseMessage(with: VarlinkError(messageOver: limit), into: &output)
                }
                return Progress(consumed: input.count, need: .close)
            case .waits: return Progress(consumed: position, need: .event)
            case .answered(let next): position = next
            case .call(let call, let next):
                position = next
                begin(call, in: input, &output, on: loop)
            }
            count += 1
            if position < input.count, service.answerer.isOver(turn, after: count) { break }
        }
        return Progress(consumed: position, need: .room)
    }

    override var isStreaming: Bool {
        if case .stream = replySource { true } else { hasEndedStream }
    }

    override func closed(on loop: isolated EventLoop) {
        switch replySource {
        case .outgoingCall(let call):
            forget(call, on: loop)
        case .stream(let stream):
            service.inspections.cancel(id)
            service.remove(stream, on: loop)
        case .job: service.inspections.cancel(id)
        case .none, .request, .reply, .text: break
        }
        replySource = .none
        filesToCheck.drop(of: account)
        super.closed(on: loop)
    }

    override func interrupt(with response: Response, on loop: isolated EventLoop) {
        if !endOutgoingCall(with: response, on: loop) { interruptRequest(with: response, on: loop) }
    }

    override func stopJob(on loop: isolated EventLoop) {
        guard case .job = replySource else { return }
        service.inspections.cancel(id)
        refuse(.stopping)
        loop.wake(id)
    }

    override func prepareForStop(on loop: isolated EventLoop) {
        leaveOutgoingCall(on: loop)
    }

    /// Goes on with the call that is being answered, if there is one; false if it still waits.
    ///
    /// Once there are `end` bytes of output, and a reply, the rest waits.
    private func goOn(until end: Int, _ output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        switch replySource {
        case .none: return true
        case .request: return finishOpen(into: &output, on: loop)
        case .job: return false
        case .outgoingCall(let call): return finish(call, into: &output, on: loop)
        case .reply(.success(let parameters)): conversation.finish(with: parameters, into: &output)
        case .reply(.failure(let error)): conversation.finish(with: error, into: &output)
        case .text(let text):
            let start = conversation.beginReply(into: &output)
            output.append(text.span)
            conversation.finishReply(from: start, into: &output)
        case .stream(let stream):
            stream.write(to: &output, until: end, conversation)
            if stream.isEmpty { stream.refill?() }
            guard stream.isEmpty, let error = stream.ending else { return false }
            conversation.finish(with: error, into: &output)
            service.remove(stream, on: loop)
            hasEndedStream = true
        }
        replySource = .none
        return true
    }

    /// Begins to answer a call; where its reply comes from is what it leaves in ``replySource``.
    private func begin(
        _ call: VarlinkCall, in input: Span<UInt8>, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) {
        hasEndedStream = false
        let method = RouterInterface.Method.all[call.method]
        if method != .check { filesToCheck.drop(of: account) }
        if origin == .agent, method != .open, method != .routes { return refuse(.permissionDenied) }
        switch method {
        case .open: open(call, in: input, &output, on: loop)
        case .explain: whileServing { explain(call, in: input, on: loop) }
        case .check: check(call.parameters(in: input, service.layout), on: loop)
        case .routes: whileServing { showRoutes(call.parameters(in: input, service.layout), on: loop) }
        case .status: replySource = .reply(.success(service.statusReply(for: peer, on: loop)))
        case .monitor: monitor(call.parameters(in: input, service.layout), on: loop)
        case .reload: reload(on: loop)
        case .receive: whileServing { receive(call.parameters(in: input, service.layout), on: loop) }
        case .respond: respond(call, in: input, on: loop)
        case .retire: retire(call.parameters(in: input, service.layout), on: loop)
        case .subscribe: whileServing { subscribe(call.parameters(in: input, service.layout), on: loop) }
        case .publish: whileServing { publish(call, in: input, on: loop) }
        case .call: beginOutgoingCall(call, in: input, &output, on: loop)
        case .resume: resumeOutgoingCall(call, in: input, &output, on: loop)
        }
    }

    /// Does what needs a configuration, or tells that there is none.
    private func whileServing(_ body: () -> Void) {
        if let outage = service.outage { refuse(.unavailable(because: outage)) } else { body() }
    }

    /// Lets an error be the reply.
    func refuse(_ error: VarlinkError) {
        replySource = .reply(.failure(error))
    }
}
