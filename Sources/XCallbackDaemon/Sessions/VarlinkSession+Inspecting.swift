import XCallbackBuiltIns
import XCallbackBytes
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

// Calls about the daemon itself.
extension VarlinkSession {
    /// Explains a URL.
    func explain(_ parameters: ExplainParameters, on loop: isolated EventLoop) {
        let (text, origin) = (parameters.url, origin(declared: parameters.origin))
        let isPrivileged = service.mayAll(self.peer)
        guard text.utf8.count <= service.limits.line else {
            return refuse(VarlinkError(urlOver: service.limits.line))
        }
        inspect(on: loop) { [service, peer] in
            let pipeline = service.answerer.pipeline
            return {
                let explanation = pipeline.explain(text.utf8.span, from: peer, origin: origin)
                return .success(["explanation": explanation.json(showsFiles: isPrivileged)])
            }
        }
    }

    /// Loads the configuration as a reload would, and replies with the findings.
    func check(on loop: isolated EventLoop) {
        guard service.mayAll(peer) else { return refuse(.permissionDenied) }
        inspect(on: loop) { [service] in
            let loader = service.served.loader
            return {
                defer { loader.giveMemoryBack() }
                return .success(loader.check().reply)
            }
        }
    }

    /// Lets the call wait for an inspection.
    ///
    /// - Parameters:
    ///   - loop: The event loop.
    ///   - prepare: Gathers the input of the inspection.
    ///   - end: Leaves the reply to the call in ``replySource``; nil if the result is the reply.
    func inspect(
        on loop: isolated EventLoop, _ prepare: @escaping () -> Inspections.Work,
        then end: ((Result<JSONValue, VarlinkError>) -> Void)? = nil
    ) {
        replySource = .job
        service.inspections.add(for: id, of: account.name.owner, on: loop, prepare) { [self] result in
            if let end { end(result) } else { replySource = .reply(result) }
            loop.wake(id)
        }
        if service.isOutOfTime { stopJob(on: loop) }
    }

    /// Streams requests and answers to the client.
    func monitor(_ parameters: MonitorParameters, on loop: isolated EventLoop) {
        let filter = parameters.filter
        // Other users' requests are invisible: a filter for them would never match.
        if let userID = filter.userID, userID != Int(peer.userID), !service.mayAll(peer) {
            return refuse(.permissionDenied)
        }
        if let route = filter.route, route != Route.callReturnName {
            if let outage = service.served.outage { return refuse(.unavailable(because: outage)) }
            // Otherwise a misspelled name would be monitored forever.
            guard service.configuration.pipeline.routes.contains(where: { $0.name == route }) else {
                return refuse(.unknownRoute(route))
            }
        }
        guard let stream = beginStream(gap: RequestEvent.gap, first: ["event": .null], on: loop) else { return }
        service.streams.requestWatch.add(
            stream, seesAll: service.mayAll(peer), showsValues: parameters.showsValues, only: filter)
    }

    /// Reloads the configuration.
    func reload(on loop: isolated EventLoop) {
        guard service.mayAll(peer) else { return refuse(.permissionDenied) }
        replySource = .job
        Task.immediate(executorPreference: loop.executor) {
            let outcome = await service.reloadReply(on: loop)
            // The client may have disconnected, or the time limit for stopping may have expired.
            guard case .job = replySource else { return }
            replySource = .reply(outcome)
            loop.wake(id)
        }
    }

    /// Starts a stream of replies.
    ///
    /// - Parameters:
    ///   - gap: Makes the reply with the number of lost replies; nil if none may be lost.
    ///   - first: The first reply, which confirms the start.
    ///   - loop: The event loop.
    /// - Returns: The stream for the replies; nil if there are too many streams, and an error is the reply.
    func beginStream(gap: ((Int) -> JSONValue)?, first: JSONValue? = nil, on loop: isolated EventLoop) -> ReplyStream? {
        let stream = ReplyStream(on: id, peer, account, of: loop, limit: service.limits.queuedOutput, gap: gap)
        do throws(Excess) {
            try service.add(stream)
        } catch {
            refuse(VarlinkError(error))
            return nil
        }
        replySource = .stream(stream)
        if let first { stream.add(first.bytes) }
        return stream
    }
}

extension VarlinkError {
    /// The configuration has no such route.
    fileprivate static func unknownRoute(_ route: String) -> Self {
        Self("\(RouterInterface.name).UnknownRoute", [.init("route", .string(route))])
    }
}
