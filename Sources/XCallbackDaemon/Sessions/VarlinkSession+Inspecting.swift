import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackVarlink

// What clients ask of the daemon itself.
extension VarlinkSession {
    /// Tells what would become of a URL.
    func explain(_ call: VarlinkCall, in input: Span<UInt8>, on loop: isolated EventLoop) {
        guard let url = call.string(of: "url", in: input, service.layout), let origin = origin(of: call, in: input)
        else { return }
        let (text, peer, isPrivileged) = (url.text(in: input), peer, service.mayAll(peer))
        guard text.utf8.count <= service.limits.line else { return refuse(.invalidParameter("url")) }
        inspect(on: loop) { [service] in
            let pipeline = service.answerer.pipeline
            var state = service.answerer.state
            state.peers = ExplainedPeer(peer, on: loop)
            return { [state] in
                let explanation = pipeline.explain(text.utf8.span, from: peer, origin: origin, state: state)
                return .success(["explanation": explanation.json(showsFiles: isPrivileged)])
            }
        }
    }

    /// Tells which routes there are.
    func showRoutes(on loop: isolated EventLoop) {
        let showsPlaces = service.mayAll(peer)
        inspect(on: loop) { [service] in
            let routes = service.configuration.pipeline.routes
            return {
                let shown = routes.compactMap { Task.isCancelled ? nil : $0.json(showsPlace: showsPlaces) }
                return .success(["routes": .array(shown)])
            }
        }
    }

    /// Lets the call wait for an inspection, whose result is the reply.
    private func inspect(on loop: isolated EventLoop, _ prepare: @escaping () -> Inspections.Work) {
        replySource = .job
        do throws(Excess) {
            try service.inspections.add(for: id, of: account, on: loop, prepare) { [self] result in
                replySource = .reply(result)
                loop.wake(id)
            }
        } catch {
            refuse(VarlinkError(error))
        }
        if service.isOutOfTime { stopJob(on: loop) }
    }

    /// Shows the client requests and answers.
    func monitor(_ call: VarlinkCall, in input: Span<UInt8>, on loop: isolated EventLoop) {
        let showsValues = call.truth(of: "values", in: input, service.layout) ?? false
        guard let stream = beginStream(gap: RequestEvent.gap, first: ["event": .null], on: loop) else { return }
        service.answerer.watch.add(stream, seesAll: service.mayAll(peer), showsValues: showsValues)
    }

    /// Reads the configuration anew.
    func reload(on loop: isolated EventLoop) {
        guard service.mayAll(peer) else { return refuse(.permissionDenied) }
        replySource = .job
        Task.immediate(executorPreference: loop.executor) {
            let outcome = await service.reloadReply(on: loop)
            // The client may be gone, or the time to stop over.
            guard case .job = replySource else { return }
            replySource = .reply(outcome)
            loop.wake(id)
        }
    }

    /// Begins to tell the client something again and again.
    ///
    /// - Parameters:
    ///   - gap: Makes the reply that tells how many were lost; nil if none may be.
    ///   - first: The first reply, which says that it has begun.
    ///   - loop: The loop that calls.
    /// - Returns: Where what is to be told is added; nil if there are too many, which is the reply then.
    func beginStream(gap: ((Int) -> JSONValue)?, first: JSONValue, on loop: isolated EventLoop) -> ReplyStream? {
        let stream = ReplyStream(on: id, peer, account, of: loop, limit: service.limits.queuedOutput, gap: gap)
        do throws(Excess) {
            try service.add(stream)
        } catch {
            refuse(VarlinkError(error))
            return nil
        }
        replySource = .stream(stream)
        stream.add(first.bytes)
        return stream
    }
}

extension VarlinkString {
    /// The text.
    func text(in input: Span<UInt8>) -> String {
        switch self {
        case .inPlace(let range): String(utf8: input.extracting(range))
        case .decoded(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
