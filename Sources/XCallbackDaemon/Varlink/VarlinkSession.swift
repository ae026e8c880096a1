import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A conversation in Varlink: calls are answered in order, one at a time.
final class VarlinkSession: ClientSession {
    /// The source of the reply to the current call.
    enum ReplySource {
        /// None: there is no current call.
        case none
        /// The request that the call opened.
        case request
        /// Off-loop work of the daemon.
        case job
        /// A finished reply, to be written: a JSON object, or an error.
        case reply(Result<[UInt8], VarlinkError>)
        /// A stream of replies.
        case stream(ReplyStream)
        /// The answer of another application; stored elsewhere, because it is large.
        indirect case outgoingCall(OutgoingCall)
    }

    /// The maximum number of bytes of a stream in one turn.
    private static let streamRoom = 65_536

    var conversation: VarlinkServerSession
    var replySource = ReplySource.none
    /// Whether the last reply was the end of a stream.
    private var hasEndedStream = false
    /// The answers of the request that the call opened, if the call follows them.
    var followed: FollowedAnswer?

    override init(_ client: ClientContext, _ account: Account) {
        conversation = VarlinkServerSession(limit: client.service.processor.limits.message)
        super.init(client, account)
    }

    override func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        var position = 0
        // The limit lets a broadcast reach other clients before one client gets all of it.
        let limit = processor.limits.queuedOutput
        let end = output.count + (isStreaming ? min(limit, Self.streamRoom) : limit)
        let turn = loop.beginTurn()
        var count = 0
        while output.count < end {
            guard goOn(until: end, &output, on: loop) else {
                return Progress(consumed: position, need: output.count >= end ? .turn : .event)
            }
            let step = conversation.next(
                in: input, from: position, of: RouterInterface.service, &service.message, into: &output)
            switch step {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault):
                // Any other fault means that the client does not use Varlink.
                if case .tooLong(let limit) = fault {
                    processor.endCall(
                        answeredIn: input.extracting(position..<input.count), limit, "message", from: peer)
                    conversation.refuseMessage(with: VarlinkError(messageOver: limit), into: &output)
                }
                return Progress(consumed: input.count, need: .close)
            case .waits: return Progress(consumed: position, need: .event)
            case .answered(let next): position = next
            case .call(let call, let next):
                position = next
                begin(call, &output, on: loop)
            }
            count += 1
            if position < input.count, processor.isOver(turn, after: count, at: loop.readClock()) { break }
        }
        return Progress(consumed: position, need: .turn)
    }

    override var isStreaming: Bool {
        if case .stream = replySource { true } else { hasEndedStream }
    }

    override var isWaiting: Bool {
        if case .outgoingCall = replySource { true } else { super.isWaiting }
    }

    /// Only the user of the daemon and root see what programs write.
    override var wantsProgress: Bool { conversation.acceptsMore && peer.hasFullAccess }

    override func closed(on loop: isolated EventLoop) {
        switch replySource {
        case .outgoingCall(let call): forget(call, on: loop)
        case .stream(let stream):
            service.inspections.cancel(id)
            service.streams.remove(stream, on: loop)
        case .job: service.inspections.cancel(id)
        case .none, .request, .reply: break
        }
        replySource = .none
        super.closed(on: loop)
    }

    override func interrupt(with response: Response, on loop: isolated EventLoop) {
        if !endOutgoingCall(with: response, on: loop) { super.interrupt(with: response, on: loop) }
    }

    override func stopJob(on loop: isolated EventLoop) {
        guard case .job = replySource else { return }
        service.inspections.cancel(id)
        refuse(.stopping)
        loop.wake(id)
    }

    override func prepareForStop(on loop: isolated EventLoop) {
        // No answer can arrive anymore.
        _ = endOutgoingCall(with: .error(.shuttingDown), on: loop)
    }

    /// Continues the current call, if there is one; false if it still waits.
    ///
    /// Once the output has `end` bytes and at least one reply, the rest remains for later.
    private func goOn(until end: Int, _ output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        switch replySource {
        case .none: return true
        case .request:
            if let progress = takeProgress(on: loop) { conversation.continue(with: progress, into: &output) }
            return finishOpen(into: &output, on: loop)
        case .job: return false
        case .outgoingCall(let call): return finish(call, into: &output, on: loop)
        case .reply(.success(let parameters)):
            let start = conversation.beginReply(into: &output)
            output.append(parameters.span)
            conversation.finishReply(from: start, into: &output)
        case .reply(.failure(let error)): conversation.finish(with: error, into: &output)
        case .stream(let stream):
            stream.write(to: &output, until: end, conversation)
            if stream.isEmpty { stream.refill?() }
            guard stream.isEmpty, let error = stream.ending else { return false }
            conversation.finish(with: error, into: &output)
            service.streams.remove(stream, on: loop)
            hasEndedStream = true
        }
        replySource = .none
        return true
    }

    /// Starts the current call, and sets the source of its reply in ``replySource``.
    private func begin(_ call: VarlinkCall, _ output: inout ByteBuffer, on loop: isolated EventLoop) {
        hasEndedStream = false
        recorded = nil
        do throws(VarlinkError) {
            let parameters = VarlinkObject(call, in: service.message)
            try parameters.check(RouterInterface.Method.parameters[call.method])
            try perform(RouterInterface.Method.all[call.method], parameters, &output, on: loop)
        } catch {
            refuse(error)
        }
    }

    private func perform(
        _ method: RouterInterface.Method, _ parameters: VarlinkObject, _ output: inout ByteBuffer,
        on loop: isolated EventLoop
    ) throws(VarlinkError) {
        if method.callers != .all, origin == .agent { throw .permissionDenied }
        if method.callers == .owner, !peer.hasFullAccess { throw .permissionDenied }
        switch method {
        case .open: try open(parameters, &output, on: loop)
        case .cancel: try cancel(parameters, on: loop)
        case .explain: try explain(parameters, on: loop)
        case .check: check(on: loop)
        case .routes: try showRoutes(parameters, on: loop)
        case .status: status(on: loop)
        case .monitor: try monitor(parameters, on: loop)
        case .reload: reload(on: loop)
        case .receive: try receive(parameters, on: loop)
        case .respond: try respond(parameters, on: loop)
        case .retire: try retire(parameters)
        case .subscribe: try subscribe(parameters, on: loop)
        case .publish: try publish(parameters, on: loop)
        case .call: try beginOutgoingCall(parameters, &output, on: loop)
        }
    }

    /// Replies with an object.
    func reply(_ parameters: JSONValue) {
        replySource = .reply(.success(parameters.bytes))
    }

    /// Replies with an error.
    func refuse(_ error: VarlinkError) {
        replySource = .reply(.failure(error))
    }
}
