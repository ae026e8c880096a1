import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Delivers requests to receivers; lives on the event loop.
///
/// A receiver gets at most as many requests at a time as it has asked for. The others wait: users take turns, and each
/// user's requests stay in order. A receiver stays busy until it responds or the request times out, even if the caller
/// leaves, and until then the request counts toward the caller's account.
final class Receivers {
    /// How long a started program may take to receive, unless the route sets a time.
    private static let activationTime = Duration.seconds(10)
    /// The number of ended deliveries that are remembered, so that a late response gets an exact error.
    private static let endedLimit = 4096

    private let socket: String
    private let host: DaemonHost
    private var groups: [String: ReceiverGroup] = [:]
    /// The deliveries that receivers have or had, by their names.
    private var deliveries: [Token: Delivery] = [:]
    /// The names of ended deliveries, the oldest first.
    private var ended: ArraySlice<Token> = []
    /// Whether deliveries have stopped.
    private var isStopping = false

    init(socket: String, _ host: DaemonHost) {
        self.socket = socket
        self.host = host
    }

    /// Delivers the request of a session to a receiver.
    ///
    /// - Parameters:
    ///   - held: The request.
    ///   - session: The session, which gets the result unless it leaves before.
    ///   - handler: The handler, which has the configuration of the delivery.
    ///   - timeout: The timeout of the request.
    ///   - loop: The loop.
    /// - Returns: The delivery; nil if the session already has the result.
    func deliver(
        _ held: SuspendedExecution, for session: ClientSession, by handler: any DeliveringHandler,
        within timeout: Duration, on loop: isolated EventLoop
    ) -> Delivery? {
        let delivery = Delivery(held, for: session, by: handler, until: loop.now + timeout)
        place(delivery, on: loop)
        return delivery.hasEnded ? nil : delivery
    }

    /// Leaves a delivery with its receiver because the caller no longer waits.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - account: The account of the request.
    ///   - loop: The loop.
    /// - Returns: Whether the request still counts toward the account, until the receiver is done.
    func leave(_ delivery: Delivery, of account: Account, on loop: isolated EventLoop) -> Bool {
        if delivery.withdraw(on: loop) {
            let group = group(of: delivery.handler.name)
            group.queue.remove(delivery)
            removeIfUnused(group)
            return false
        }
        let time = max(delivery.deadline - loop.now, .zero)
        let limit = loop.call(after: time) { [unowned self] in
            guard let (receiver, account) = delivery.expire() else { return }
            account.give(.requests)
            guard receiver.stream.isOverfull else { return free(receiver, from: delivery, on: loop) }
            // One that hangs would be given requests for as long as it does.
            forget(delivery)
            receiver.deliveries.removeAll { $0 === delivery }
            loop.disconnect(receiver.stream.connection)
        }
        guard let (receiver, id) = delivery.abandon(until: limit, as: account) else {
            loop.cancel(limit)
            return false
        }
        receiver.stream.add(Array("{\"ended\":\"\(id)\"}".utf8))
        return true
    }

    private func group(of name: String) -> ReceiverGroup {
        if let group = groups[name] { return group }
        let group = ReceiverGroup(name: name)
        groups[name] = group
        return group
    }

    private func removeIfUnused(_ group: ReceiverGroup) {
        if group.isUnused, groups[group.name] === group { groups[group.name] = nil }
    }

    /// Delivers a request to an available receiver, or queues it.
    private func place(_ delivery: Delivery, on loop: isolated EventLoop) {
        let handler = delivery.handler
        if isStopping { return fail(delivery, .shuttingDown, on: loop) }
        let group = group(of: handler.name)
        if let free = group.freeReceiver(of: delivery) { return hand(delivery, to: free, on: loop) }
        if group.hasReceiver(of: delivery) { return group.queue.add(delivery) }
        guard let patience = handler.wait ?? (handler.startsReceiver ? Self.activationTime : nil) else {
            fail(delivery, .noReceiver, because: "no client receives as '\(group.name)'", on: loop)
            return removeIfUnused(group)
        }
        delivery.setPatience(
            loop.call(after: patience) { [unowned self] in endPatience(of: delivery, on: loop) }, on: loop)
        group.queue.add(delivery)
        if handler.startsReceiver { startReceiver(for: delivery, in: group, within: patience, on: loop) }
    }

    /// Starts the program that should receive, unless a program that was started may still do so.
    private func startReceiver(
        for delivery: Delivery, in group: ReceiverGroup, within patience: Duration, on loop: isolated EventLoop
    ) {
        let handler = delivery.handler
        if let deadline = group.startDeadline, deadline > loop.now { return }
        let deadline = loop.now + patience
        group.startDeadline = deadline
        guard let request = delivery.held?.execution.request else { return }
        Task.immediate(executorPreference: loop.executor) {
            do {
                try await handler.startReceiver(for: request, at: socket, host)
            } catch {
                // The start may fail so late that another program was started in the meantime, or a client receives.
                guard group.startDeadline == deadline, group.receivers.isEmpty else { return }
                group.startDeadline = nil
                let cause = "cannot start the program that receives as '\(group.name)': \(error)"
                for delivery in group.queue.all { fail(delivery, .cannotStart, because: cause, on: loop) }
                removeIfUnused(group)
            }
        }
    }

    private func endPatience(of delivery: Delivery, on loop: isolated EventLoop) {
        let group = group(of: delivery.handler.name)
        let failure =
            delivery.handler.startsReceiver
            ? "the started program does not receive as '\(group.name)' yet"
            : "no client started to receive as '\(group.name)' in time"
        fail(delivery, .noReceiver, because: failure, on: loop)
        // The next request can start the program again.
        if group.queue.isEmpty { group.startDeadline = nil }
        removeIfUnused(group)
    }

    private func hand(_ delivery: Delivery, to receiver: ReceivingClient, on loop: isolated EventLoop) {
        let isNested = receiver.takesNested && receiver.hasSent(delivery)
        guard let (id, held) = delivery.take(by: receiver, on: loop) else { return }
        deliveries[id] = delivery
        receiver.deliveries.append(delivery)
        var message: [UInt8] = []
        let limit = max(delivery.deadline - loop.now, .zero)
        let digits = id.description.utf8
        held.execution.withRequest {
            delivery.handler.write(
                messageOf: $0, id: digits.span, limit: limit, isNested: isNested, to: &message)
        }
        receiver.stream.add(message)
    }

    /// Makes the receiver of an ended delivery available again.
    private func free(_ receiver: ReceivingClient, from delivery: Delivery, on loop: isolated EventLoop) {
        forget(delivery)
        receiver.deliveries.removeAll { $0 === delivery }
        handNext(of: receiver.group, on: loop)
        retireIfIdle(receiver)
    }

    /// Forgets an ended delivery once many others have ended after it.
    private func forget(_ delivery: Delivery) {
        guard let id = delivery.name?.id else { return }
        ended.append(id)
        if ended.count > Self.endedLimit, let oldest = ended.popFirst() { deliveries[oldest] = nil }
    }

    /// Ends a delivery without its receiver; if the session waits, it gets an error.
    private func fail(
        _ delivery: Delivery, _ error: CallbackError, because cause: String? = nil, on loop: isolated EventLoop
    ) {
        if let held = delivery.held {
            if let cause { host.note(cause: cause, of: held.execution.request) }
            groups[delivery.handler.name]?.queue.remove(delivery)
        }
        let session = delivery.fail(on: loop)
        forget(delivery)
        session?.endDelivery(with: .refused(error), on: loop)
    }

    /// Delivers the queued requests of a group to available receivers.
    private func handNext(of group: ReceiverGroup, on loop: isolated EventLoop) {
        if isStopping { return }
        while group.hasFreeReceiver, let delivery = group.queue.takeNext(where: { group.freeReceiver(of: $0) != nil }) {
            if let free = group.freeReceiver(of: delivery) { hand(delivery, to: free, on: loop) }
        }
    }
}

// MARK: - Receivers

extension Receivers {
    /// Adds a receiver.
    ///
    /// - Parameters:
    ///   - stream: The stream that carries its requests.
    ///   - name: The name as which it receives.
    ///   - prefetch: The maximum number of requests at a time.
    ///   - takesNested: Whether the receiver gets the requests of its own process beyond that.
    ///   - key: The key with which its user can retire it.
    ///   - conditions: The values that its requests must have.
    ///   - loop: The loop.
    func add(
        _ stream: ReplyStream, as name: String, prefetch: Int, takesNested: Bool, key: String?,
        where conditions: QueryItems, on loop: isolated EventLoop
    ) {
        let group = group(of: name)
        let receiver = ReceivingClient(
            stream, of: group, prefetch: prefetch, takesNested: takesNested, key: key, where: conditions,
            since: loop.now)
        group.receivers.append(receiver)
        group.startDeadline = nil
        // Queued requests now wait for a busy receiver.
        for delivery in group.queue.all where receiver.wants(delivery) { delivery.setPatience(nil, on: loop) }
        handNext(of: group, on: loop)
    }

    /// Removes a receiver that has disconnected or whose call has ended; the requests it is handling fail.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard let group = stream.name.flatMap({ groups[$0] }),
            let index = group.receivers.firstIndex(where: { $0.stream === stream })
        else { return }
        let receiver = group.receivers.remove(at: index)
        for delivery in receiver.deliveries { fail(delivery, .receiverGone, on: loop) }
        if group.receivers.allSatisfy(\.isPicky) { placeAgain(group, on: loop) }
        removeIfUnused(group)
    }

    /// Requests that waited for a busy receiver now wait for any receiver.
    private func placeAgain(_ group: ReceiverGroup, on loop: isolated EventLoop) {
        let deliveries = group.queue.all
        group.queue = DeliveryQueue()
        for delivery in deliveries { place(delivery, on: loop) }
    }

    /// Ends the call of a receiver with an error once it is idle; nil lets the call continue.
    ///
    /// A receiver whose name is removed first gets the requests that were made before.
    func retire(_ stream: ReplyStream, with error: VarlinkError?, on loop: isolated EventLoop) {
        guard let group = stream.name.flatMap({ groups[$0] }),
            let receiver = group.receivers.first(where: { $0.stream === stream }), receiver.ending != .retired
        else { return }
        receiver.ending = error
        if error == nil { handNext(of: group, on: loop) } else { retireIfIdle(receiver) }
    }

    /// Stops deliveries to the receivers with a key because their user requests it; returns the number of receivers.
    func retire(name: String, key: String, of userID: UInt32) -> Int {
        let receivers = groups[name]?.receivers.filter { $0.key == key && $0.stream.peer.userID == userID } ?? []
        for receiver in receivers {
            receiver.ending = .retired
            retireIfIdle(receiver)
        }
        return receivers.count
    }

    private func retireIfIdle(_ receiver: ReceivingClient) {
        if let ending = receiver.ending, receiver.deliveries.isEmpty { receiver.stream.end(with: ending) }
    }

    /// Handles the response to a delivery.
    ///
    /// - Parameters:
    ///   - id: The name of the delivery; nil if the client sent an invalid name.
    ///   - response: The response.
    ///   - peer: The client.
    ///   - loop: The loop.
    /// - Throws: ``VarlinkError`` if the response is rejected.
    func respond(
        _ id: Token?, _ response: Response, from peer: Peer, on loop: isolated EventLoop
    ) throws(VarlinkError) {
        let delivery = try delivery(id, with: peer)
        switch try delivery.respond() {
        case .answer(let session, let receiver):
            free(receiver, from: delivery, on: loop)
            session.endDelivery(with: .handled(response), on: loop)
        case .late(let receiver, let limit, let account):
            loop.cancel(limit)
            account.give(.requests)
            free(receiver, from: delivery, on: loop)
            throw .tooLate
        }
    }

    /// Handles the progress of a delivery, which ends with its response.
    ///
    /// - Throws: ``VarlinkError`` if the progress is rejected.
    func report(
        _ progress: RequestProgress, of id: Token?, from peer: Peer, on loop: isolated EventLoop
    ) throws(VarlinkError) {
        try delivery(id, with: peer).caller?.take(progress, on: loop)
    }

    /// Returns a delivery that a receiver of the peer's user has, or had.
    private func delivery(_ id: Token?, with peer: Peer) throws(VarlinkError) -> Delivery {
        guard let id, let delivery = deliveries[id], delivery.name?.userID == peer.userID else { throw .unknownRequest }
        return delivery
    }

    /// Ends all deliveries because the daemon stops.
    func stop(on loop: isolated EventLoop) {
        isStopping = true
        for group in groups.values {
            for delivery in group.queue.all + group.receivers.flatMap(\.deliveries) {
                fail(delivery, .shuttingDown, on: loop)
            }
        }
    }
}

extension CallbackError {
    fileprivate static let noReceiver = CallbackError(.unavailable, "No application can handle this at the moment.")
    fileprivate static let receiverGone = CallbackError(
        .unavailable, "The application that was handling this has disconnected.")
    fileprivate static let cannotStart = CallbackError(
        .unavailable, "The application that handles this cannot be started.")
}

extension Receivers {
    /// The routes of receivers that have named the types of their parameters.
    var typedRoutes: [(name: String, routes: [UInt8])] {
        groups.values.flatMap(\.receivers).compactMap { receiver in
            receiver.stream.routes.isEmpty ? nil : (receiver.group.name, receiver.stream.routes)
        }
    }

    /// Returns the clients that receive, by name and in the order of their start, as the reply to `Status` shows them.
    ///
    /// - Parameters:
    ///   - userID: The user whose receivers are included; nil for all.
    ///   - now: The current time.
    /// - Returns: An object each.
    func json(for userID: UInt32?, at now: Duration) -> [JSONValue] {
        let receivers = groups.values.flatMap(\.receivers).filter { userID == nil || userID == $0.stream.peer.userID }
        return receivers.sorted { ($0.group.name, $0.start) < ($1.group.name, $1.start) }.map { receiver in
            [
                "name": .string(receiver.group.name), "peer": receiver.stream.peer.json,
                "uptime": .number(JSONNumber(seconds: now - receiver.start)),
                "requests": .whole(receiver.deliveries.count), "prefetch": .whole(receiver.prefetch),
            ]
        }
    }
}
