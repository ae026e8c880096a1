import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

// Calls between clients: Receive, Respond and Retire; Subscribe and Publish.
extension VarlinkSession {
    /// The maximum number of concurrent requests of a receiver.
    private static let prefetchLimit = 64
    /// The maximum length of a receiver's key in bytes.
    private static let keyLimit = 64
    /// The maximum length of the routes of a receiver in bytes.
    private static let routesLimit = 262_144
    /// The maximum number of topics in one call.
    private static let topicLimit = 256

    /// Lets the client receive the requests that routes deliver to a name.
    func receive(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let name = try parameters.required("name").text()
        let prefetch: Int = try parameters.optional("prefetch")?.integer() ?? 1
        guard (1...Self.prefetchLimit).contains(prefetch) else { throw .invalidParameter("prefetch") }
        let key = try parameters.optional("key")?.text()
        if let key, key.utf8.count > Self.keyLimit { throw .invalidParameter("key") }
        let conditions = try parameters.optional("where")?.items() ?? QueryItems()
        let takesNested = try parameters.optional("nested")?.truth() ?? false
        let routes = try parameters.receivedRoutes()?.bytes ?? []
        let size = parameters.bytes.count
        check(on: loop) { [peer] (names) throws(VarlinkError) in
            try names.conditions(for: peer, toReceiveAs: name)
        } then: { [self] in
            // The stream has few requests at a time and keeps all of them, so that none is lost.
            guard let stream = beginStream(size, gap: nil, first: ["request": .null], on: loop) else { return }
            stream.name = name
            // They are advice only, so too many are not compared.
            if routes.count <= Self.routesLimit { stream.routes = routes }
            service.streams.receivers.add(
                stream, as: name, prefetch: prefetch, takesNested: takesNested, key: key, where: conditions, on: loop)
            service.streams.compareTypes(of: stream, on: loop)
        }
    }

    /// Stops the delivery of requests to receivers of the client's user.
    func retire(_ parameters: VarlinkObject) throws(VarlinkError) {
        let count = service.streams.receivers.retire(
            name: try parameters.required("name").text(), key: try parameters.required("key").text(), of: peer.userID)
        reply(["retired": .whole(count)])
    }

    /// Takes the client's response to a request that it has received, or its progress.
    func respond(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        // Nil for a text that is no token.
        let id = Token(parameters.bytes.span.extracting(try parameters.required("id").range()))
        let receivers = service.streams.receivers
        if let progress = try parameters.progress(), parameters.optional("outcome") == nil {
            try receivers.report(progress, of: id, from: peer, on: loop)
        } else {
            try receivers.respond(id, try parameters.response(), from: peer, on: loop)
        }
        reply([:])
    }

    /// Lets the client subscribe to topics.
    func subscribe(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let texts = try parameters.required("topics").texts()
        guard (1...Self.topicLimit).contains(texts.count) else { throw .invalidParameter("topics") }
        let (topics, size) = (Set(texts), parameters.bytes.count)
        check(on: loop) { [peer] (names) throws(VarlinkError) in
            try names.conditions(for: peer, toSubscribeTo: topics)
        } then: { [self] in
            guard let stream = beginStream(size, gap: Subscriptions.gap, first: ["event": .null], on: loop) else {
                return
            }
            service.streams.subscriptions.add(stream, to: topics)
        }
    }

    /// Publishes the items of the client.
    func publish(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let topic = try parameters.required("topic").text()
        var request = Request(peer: peer, origin: .socket)
        request.parameters = try parameters.required("items").items()
        check(on: loop) { [request] (names) throws(VarlinkError) in
            try names.conditions(for: request, toPublishTo: topic)
        } then: { [self, request] in
            do throws(Excess) {
                let count = try service.streams.subscriptions.publish(
                    request.parameters, to: topic, for: account, on: loop)
                reply(["reached": .whole(count)])
            } catch {
                refuse(VarlinkError(error))
            }
        }
    }

    /// Performs a call if the client satisfies the conditions.
    private func check(
        on loop: isolated EventLoop, _ conditions: @escaping (ClientNames) throws(VarlinkError) -> Conditions,
        then body: @escaping () -> Void
    ) {
        replySource = .job
        service.streams.check(peer, on: loop, conditions) { [self] error in
            // The client may have disconnected, or the time limit for stopping may have expired.
            guard case .job = replySource else { return }
            if let error { refuse(error) } else { body() }
            loop.wake(id)
        }
        if processor.phase == .outOfTime { stopJob(on: loop) }
    }
}
