import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackWire

// Calls about the daemon itself.
extension VarlinkSession {
    /// The client, if it may see only the routes that it may open; nil if it sees all.
    private var viewer: Viewer? {
        peer.hasFullAccess ? nil : Viewer(peer, groups: processor.host.groups(of: peer))
    }

    /// The maximum number of schemes in one call.
    private static var schemeLimit: Int { 256 }

    /// Explains a URL.
    func explain(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let text = try parameters.required("url").text()
        let origin = origin(declared: try parameters.origin())
        guard text.utf8.count <= processor.limits.line else { throw VarlinkError(urlOver: processor.limits.line) }
        inspect(on: loop) { [processor, peer, viewer] in
            let pipeline = processor.pipeline
            return {
                let explanation = pipeline.explain(text.utf8.span, from: peer, origin: origin)
                return JSONValue.object([.init("explanation", explanation.json(for: viewer))]).bytes
            }
        }
    }

    /// Loads the configuration as a reload would, and replies with the findings.
    func check(on loop: isolated EventLoop) {
        inspect(on: loop) { [loader = service.served.loader, receivers = service.streams.receivers] in
            let routes = receivers.typedRoutes
            return {
                defer { loader.giveMemoryBack() }
                return loader.check(routes).reply.bytes
            }
        }
    }

    /// Returns the routes, or sends them and their changes.
    func showRoutes(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let schemes = try parameters.optional("schemes")?.texts()
        if let schemes, schemes.count > Self.schemeLimit { throw .invalidParameter("schemes") }
        let prefix = try parameters.optional("prefix")?.text() ?? ""
        // The socket for assistants shows only what they may use, and its clients are assistants themselves.
        let declared = try parameters.origin()
        let reach = origin == .agent ? origin : declared
        if let reach, reach.isForeign {
            do throws(Excess) {
                try move(to: reach.accountClass, on: loop)
            } catch {
                throw VarlinkError(error)
            }
        }
        let list = RoutesReply(
            query: CatalogueQuery(schemes: schemes, prefix: prefix, reachedFrom: reach?.bit ?? [], by: viewer),
            showsPlaces: origin != .agent && peer.hasFullAccess, served: service.served)
        guard conversation.acceptsMore else { return inspect(on: loop, list.making) }
        if let stream = beginStream(parameters.bytes.count, gap: nil, on: loop) {
            service.streams.watchRoutes(CatalogueWatch(stream, list, service.inspections), on: loop)
        }
    }

    /// Lets the call wait for an inspection, whose result is the reply.
    private func inspect(on loop: isolated EventLoop, _ prepare: @escaping () -> Inspections.Work) {
        replySource = .job
        service.inspections.add(for: id, of: account.name.owner, on: loop, prepare) { [self] in
            endJob(with: $0, on: loop)
        }
        if processor.phase == .outOfTime { stopJob(on: loop) }
    }

    /// Streams requests and answers to the client.
    func monitor(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let showsValues = try parameters.optional("values")?.truth() ?? false
        let filter = EventFilter(
            route: try parameters.optional("route")?.text(), userID: try parameters.optional("user")?.integer(),
            processID: try parameters.optional("process")?.integer(),
            outcome: try parameters.optional("outcome")?.choice())
        // Other users' requests are invisible: a filter for them would never match.
        if let userID = filter.userID, userID != Int(peer.userID), !peer.hasFullAccess { throw .permissionDenied }
        if let route = filter.route, route != Route.callReturnName {
            // Otherwise a misspelled name would be monitored forever.
            let viewer = viewer
            guard processor.pipeline.routes.contains(where: { $0.name == route && viewer?.sees($0) != false }) else {
                throw service.served.current.unserved.map { .unavailable(because: $0.error) } ?? .unknownRoute(route)
            }
        }
        let size = parameters.bytes.count
        guard let stream = beginStream(size, gap: RequestEvent.gap, first: ["event": .null], on: loop) else { return }
        processor.monitor.add(stream, seesAll: peer.hasFullAccess, showsValues: showsValues, only: filter)
    }

    /// Returns the status of the daemon.
    func status(on loop: isolated EventLoop) {
        checkFiles(on: loop) { [self] areChanged in
            .success(service.statusReply(for: peer, areFilesChanged: areChanged, on: loop).bytes)
        }
    }

    /// Lets the call of the daemon's user wait for a moment for the disk: whether the files have changed.
    func checkFiles(
        on loop: isolated EventLoop, _ reply: @escaping (_ areChanged: Bool) -> Result<[UInt8], VarlinkError>
    ) {
        guard peer.hasFullAccess, service.served.knowsFiles else { return replySource = .reply(reply(false)) }
        replySource = .job
        service.served.checkFiles(on: loop) { [self] areChanged in endJob(with: reply(areChanged), on: loop) }
    }

    /// Replies with the result of off-loop work.
    private func endJob(with result: Result<[UInt8], VarlinkError>, on loop: isolated EventLoop) {
        // The client may have disconnected, or the time limit for stopping may have expired.
        guard case .job = replySource else { return }
        replySource = .reply(result)
        loop.wake(id)
    }

    /// Reloads the configuration.
    func reload(on loop: isolated EventLoop) {
        replySource = .job
        Task.immediate(executorPreference: loop.executor) {
            let outcome = await service.reload(on: loop)
            endJob(
                with: (outcome?.reply ?? .failure(service.isStopping ? .stopping : .noThread)).map(\.bytes), on: loop)
        }
    }

    /// Starts a stream of replies.
    ///
    /// - Parameters:
    ///   - parameterSize: The size of the parameters of the call, which count as long as the stream.
    ///   - gap: Makes the reply with the number of lost replies; nil if none may be lost.
    ///   - first: The first reply, which confirms the start.
    ///   - loop: The event loop.
    /// - Returns: The stream for the replies; nil if there are too many streams, and an error is the reply.
    func beginStream(
        _ parameterSize: Int, gap: ((Int) -> JSONValue)?, first: JSONValue? = nil, on loop: isolated EventLoop
    ) -> ReplyStream? {
        let stream: ReplyStream
        do throws(Excess) {
            stream = try ReplyStream(
                on: id, peer, account, of: loop, limit: processor.limits.queuedOutput, parameterSize: parameterSize,
                gap: gap)
            try service.streams.add(stream)
        } catch {
            refuse(VarlinkError(error))
            return nil
        }
        replySource = .stream(stream)
        if let first { stream.add(first.bytes) }
        return stream
    }
}
