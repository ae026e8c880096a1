import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

extension ClientSession {
    /// Answers calls, one after the other, until one has to wait.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - start: Where to begin.
    ///   - calls: Where the conversation is.
    ///   - output: Where the replies are appended.
    ///   - loop: The loop that calls.
    /// - Returns: How far it came.
    func answerCalls(
        in input: Span<UInt8>, from start: Int, _ calls: VarlinkDialect, _ output: inout Output,
        on loop: isolated EventLoop
    ) -> Progress {
        let buffers = service.callBuffers
        defer {
            // The span needs a value that outlives it, and whose reference is gone before the array is emptied.
            do {
                let replies = buffers.replies
                output.append(replies.span)
            }
            // What one long reply took is given back.
            buffers.replies.removeAll(keepingCapacity: buffers.replies.capacity <= 1 << 20)
        }
        let progress = answerCalls(in: input, from: start, calls, buffers, on: loop)
        service.noteActivity(on: loop)
        return progress
    }

    private func answerCalls(
        in input: Span<UInt8>, from start: Int, _ calls: VarlinkDialect, _ buffers: CallBuffers,
        on loop: isolated EventLoop
    ) -> Progress {
        var position = start
        let limit = service.limits.queuedOutput
        while buffers.replies.count < limit {
            guard goOn(calls, buffers, limit, on: loop) else {
                let isFull = buffers.replies.count >= limit
                return Progress(consumed: position, need: isFull ? .room : .event)
            }
            let step = calls.conversation.next(
                in: input, from: position, of: RouterInterface.service, &buffers.layout, into: &buffers.replies)
            switch step {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close: return Progress(consumed: input.count, need: .close)
            case .waits: return Progress(consumed: position, need: .event)
            case .answered(let next): position = next
            case .call(let call, let next):
                position = next
                begin(call, in: input, calls, buffers, on: loop)
            }
        }
        return Progress(consumed: position, need: .room)
    }

    /// Goes on with the call that is being answered; false if it still has to wait.
    private func goOn(
        _ calls: VarlinkDialect, _ buffers: CallBuffers, _ limit: Int, on loop: isolated EventLoop
    ) -> Bool {
        if case .nothing = calls.pending { return true }
        if case .request = calls.pending { return finishOpen(calls, into: &buffers.replies, on: loop) }
        if case .outgoingCall(let call) = calls.pending {
            return finish(call, calls, into: &buffers.replies, on: loop)
        }
        let stream = calls.stream
        guard calls.finish(into: &buffers.replies, limit: limit) else { return false }
        if let stream { service.remove(stream, on: loop) }
        return true
    }

    /// Begins to answer a call; what it has to wait for is what it leaves pending.
    private func begin(
        _ call: VarlinkCall, in input: Span<UInt8>, _ calls: VarlinkDialect, _ buffers: CallBuffers,
        on loop: isolated EventLoop
    ) {
        // All methods of the interface are there: a call of another one does not come here.
        switch RouterInterface.Method(rawValue: call.method) {
        case .open: open(call, in: input, calls, buffers, on: loop)
        case .explain: explain(call, in: input, calls, buffers, on: loop)
        case .routes:
            let showsPlaces = service.mayAll(peer)
            inspect(calls, on: loop) { [service] in
                let routes = service.configuration.pipeline.routes
                return {
                    .success([
                        "routes": .array(
                            routes.compactMap { Task.isCancelled ? nil : $0.json(showsPlace: showsPlaces) })
                    ])
                }
            }
        case .status: calls.pending = .reply(.success(service.statusReply(for: peer, on: loop)))
        case .monitor:
            let showsValues = call.truth(of: "values", in: input, buffers.layout) ?? false
            let stream = begin(calls, gap: RequestEvent.gap, first: ["event": .null], on: loop)
            service.answerer.watch.add(stream, seesAll: service.mayAll(peer), showsValues: showsValues)
        case .reload: reload(calls, on: loop)
        case .receive: receive(call.parameters(in: input, buffers.layout), calls, on: loop)
        case .respond: respond(call, in: input, calls, buffers.layout, on: loop)
        case .subscribe: subscribe(call.parameters(in: input, buffers.layout), calls, on: loop)
        case .publish: publish(call, in: input, calls, buffers.layout, on: loop)
        case .call: beginOutgoingCall(call, in: input, calls, buffers, on: loop)
        case .resume: resumeOutgoingCall(call, in: input, calls, buffers, on: loop)
        case nil: calls.pending = .reply(.failure(.permissionDenied))
        }
    }

    /// Tells the client something again and again.
    ///
    /// - Parameters:
    ///   - calls: Where the conversation is.
    ///   - gap: Makes the reply that tells how many were lost; nil if none may be.
    ///   - first: The first reply, which says that it has begun.
    ///   - loop: The loop that calls.
    /// - Returns: Where what is to be told is added.
    func begin(
        _ calls: VarlinkDialect, gap: ((Int) -> JSONValue)?, first: JSONValue, on loop: isolated EventLoop
    ) -> ReplyStream {
        let stream = ReplyStream(on: id, peer, of: loop, limit: service.limits.queuedOutput, gap: gap)
        calls.pending = .stream(stream)
        service.add(stream)
        stream.add(first.bytes)
        return stream
    }

}

// MARK: - Methods

extension ClientSession {
    private func open(
        _ call: VarlinkCall, in input: Span<UInt8>, _ calls: VarlinkDialect, _ buffers: CallBuffers,
        on loop: isolated EventLoop
    ) {
        // As most clients ask: the URL, and nothing else.
        if let url = call.loneText {
            return open(input.extracting(url), .socket, calls, into: &buffers.replies, on: loop)
        }
        guard let url = call.string(of: "url", in: input, buffers.layout) else { return }
        guard let origin = origin(of: call, in: input, calls, buffers) else { return }
        // The call before this one has left none.
        if call.truth(of: "follow", in: input, buffers.layout) == true { calls.followed = FollowedAnswer(from: origin) }
        switch url {
        case .inPlace(let range): open(input.extracting(range), origin, calls, into: &buffers.replies, on: loop)
        case .decoded(let bytes): open(bytes.span, origin, calls, into: &buffers.replies, on: loop)
        }
    }

    /// The origin that a call declares; nil if it may not, which is its reply then.
    private func origin(
        of call: VarlinkCall, in input: Span<UInt8>, _ calls: VarlinkDialect, _ buffers: CallBuffers
    ) -> Origin? {
        guard let text = call.string(of: "origin", in: input, buffers.layout) else { return .socket }
        switch text.text(in: input) {
        case "socket": return .socket
        case "desktop": return .desktop
        // Nothing that comes over a socket is internal.
        default:
            calls.pending = .reply(.failure(.invalidParameter("origin")))
            return nil
        }
    }

    private func explain(
        _ call: VarlinkCall, in input: Span<UInt8>, _ calls: VarlinkDialect, _ buffers: CallBuffers,
        on loop: isolated EventLoop
    ) {
        guard let url = call.string(of: "url", in: input, buffers.layout) else { return }
        guard let origin = origin(of: call, in: input, calls, buffers) else { return }
        let (text, peer, isPrivileged) = (url.text(in: input), peer, service.mayAll(peer))
        guard text.utf8.count <= service.limits.line else {
            calls.pending = .reply(.failure(.invalidParameter("url")))
            return
        }
        inspect(calls, on: loop) { [service] in
            let pipeline = service.answerer.pipeline
            var state = service.answerer.state
            state.peers = HeldPeer(peer, on: loop)
            return { [state] in
                let explanation = pipeline.explain(text.utf8.span, from: peer, origin: origin, state: state)
                return .success(["explanation": explanation.json(showsFiles: isPrivileged)])
            }
        }
    }

    /// Lets the call wait for an inspection, whose result is the reply.
    private func inspect(
        _ calls: VarlinkDialect, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Inspections.Work
    ) {
        calls.pending = .job
        do throws(VarlinkError) {
            try service.inspections.add(
                for: id, of: peer.userID, isPrivileged: service.mayAll(peer), on: loop, prepare
            ) { [id] result in
                calls.pending = .reply(result)
                loop.wake(id)
            }
        } catch {
            calls.pending = .reply(.failure(error))
        }
    }

    private func reload(_ calls: VarlinkDialect, on loop: isolated EventLoop) {
        guard service.mayAll(peer) else {
            calls.pending = .reply(.failure(.permissionDenied))
            return
        }
        calls.pending = .job
        Task.immediate(executorPreference: loop.executor) {
            let outcome = await service.reloadReply(on: loop)
            calls.pending = .reply(outcome)
            // Does nothing if the client is gone.
            loop.wake(id)
        }
    }
}

extension VarlinkString {
    /// The text.
    fileprivate func text(in input: Span<UInt8>) -> String {
        switch self {
        case .inPlace(let range): String(utf8: input.extracting(range))
        case .decoded(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
