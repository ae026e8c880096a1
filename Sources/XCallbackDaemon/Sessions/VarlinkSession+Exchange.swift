import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

// Calls between clients.
extension VarlinkSession {
    /// Lets the client receive the requests that routes deliver to a name.
    func receive(_ parameters: ReceiveParameters, on loop: isolated EventLoop) {
        let name = parameters.name
        check(on: loop) { [peer] in
            $0.conditions(for: peer, toReceiveAs: name)
        } then: { [self] in
            // The stream has few requests at a time and keeps all of them, so that none is lost.
            guard let stream = beginStream(gap: nil, first: ["request": .null], on: loop) else { return }
            stream.name = name
            service.streams.receivers.add(
                stream, as: name, prefetch: parameters.prefetch, key: parameters.key,
                where: parameters.conditions, on: loop)
        }
    }

    /// Stops the delivery of requests to receivers of the client's user.
    func retire(_ parameters: RetireParameters, on loop: isolated EventLoop) {
        let count = service.streams.receivers.retire(name: parameters.name, key: parameters.key, of: peer.userID)
        replySource = .reply(.success(["retired": .whole(count)]))
    }

    /// Takes the client's response to a request that it has received.
    func respond(_ parameters: RespondParameters, on loop: isolated EventLoop) {
        switch service.streams.receivers.respond(parameters.id, parameters.response, from: peer, on: loop) {
        case nil: replySource = .reply(.success([:]))
        case .unknown?: refuse(VarlinkError("\(RouterInterface.name).UnknownRequest"))
        case .alreadyAnswered?: refuse(VarlinkError("\(RouterInterface.name).AlreadyAnswered"))
        case .tooLate?: refuse(VarlinkError("\(RouterInterface.name).TooLate"))
        }
    }

    /// Lets the client subscribe to topics.
    func subscribe(_ parameters: SubscribeParameters, on loop: isolated EventLoop) {
        let topics = parameters.topics
        check(on: loop) { [peer] in
            $0.conditions(for: peer, toSubscribeTo: Array(topics))
        } then: { [self] in
            guard let stream = beginStream(gap: Subscriptions.gap, first: ["event": .null], on: loop) else { return }
            service.streams.subscriptions.add(stream, to: topics)
        }
    }

    /// Publishes the items of the client.
    func publish(_ parameters: PublishParameters, on loop: isolated EventLoop) {
        var request = Request(peer: peer, origin: .socket)
        request.parameters = parameters.items
        check(on: loop) { [request] in
            $0.conditions(for: request, toPublishTo: parameters.topic)
        } then: { [self] in
            do throws(Excess) {
                let count = try service.streams.subscriptions.publish(
                    parameters.items, to: parameters.topic, for: account, on: loop)
                replySource = .reply(.success(["reached": .whole(count)]))
            } catch {
                refuse(VarlinkError(error))
            }
        }
    }

    /// Performs a call if the client satisfies the conditions.
    private func check(
        on loop: isolated EventLoop, _ conditions: @escaping (ClientNames) -> Conditions,
        then body: @escaping () -> Void
    ) {
        replySource = .job
        service.check(peer, on: loop, conditions) { [self] error in
            // The client may have disconnected, or the time limit for stopping may have expired.
            guard case .job = replySource else { return }
            if let error { refuse(error) } else { body() }
            loop.wake(id)
        }
        if service.isOutOfTime { stopJob(on: loop) }
    }
}
