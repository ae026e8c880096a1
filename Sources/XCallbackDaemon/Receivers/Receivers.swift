import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
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
    /// The capacity in bytes that is kept for later messages.
    private static let keptCapacity = 65_536

    private let socket: String
    private let failureCauses: FailureCauses
    private var groups: [String: ReceiverGroup] = [:]
    private var table = DeliveryTable()
    /// Memory that is reused for each message.
    private var message: [UInt8] = []
    /// Whether deliveries have stopped.
    private var isStopping = false

    init(socket: String, failureCauses: FailureCauses) {
        self.socket = socket
        self.failureCauses = failureCauses
    }

    /// Delivers the request of a session to a receiver.
    ///
    /// - Parameters:
    ///   - held: The request.
    ///   - session: The session, which gets the result unless it leaves before.
    ///   - handler: The handler, which has the configuration of the delivery.
    ///   - timeout: The timeout of the request.
    ///   - loop: The loop.
    /// - Returns: The place of the delivery; nil if the session already has the result.
    func deliver(
        _ held: SuspendedExecution, for session: ClientSession, by handler: any DeliveringHandler,
        within timeout: Duration,
        on loop: isolated EventLoop
    ) -> DeliveryTable.Place? {
        let offer = Delivery.Offer(session: session, held: held, handler: handler, group: group(of: handler.name))
        let place = table.add(Delivery(offer, until: loop.now + timeout))
        self.place(place, offer, on: loop)
        return table[place].state == .ended ? nil : place
    }

    /// Leaves a delivery with its receiver because the caller no longer waits.
    ///
    /// - Parameters:
    ///   - place: The place of the delivery.
    ///   - account: The account of the request.
    ///   - loop: The loop.
    /// - Returns: Whether the request still counts toward the account, until the receiver is done.
    func leave(_ place: DeliveryTable.Place, of account: Account, on loop: isolated EventLoop) -> Bool {
        if let offer = table[place].withdraw() {
            table.end(place)
            withdraw(place, offer, on: loop)
            return false
        }
        let time = max(table[place].deadline - loop.now, .zero)
        let limit = loop.call(after: time) { [unowned self] in expire(place, on: loop) }
        guard let (receiver, id) = table[place].abandon(until: limit, as: account) else {
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
        if group.isUnused { groups[group.name] = nil }
    }

    /// Delivers a request to an available receiver, or queues it.
    private func place(_ place: DeliveryTable.Place, _ offer: Delivery.Offer, on loop: isolated EventLoop) {
        let (group, handler) = (offer.group, offer.handler)
        if isStopping { return fail(place, .shuttingDown, on: loop) }
        if let free = group.freeReceiver { return hand(place, to: free, on: loop) }
        guard group.receivers.isEmpty else { return group.queue.add(place, of: offer.account) }
        guard let patience = handler.wait ?? (handler.startsReceiver ? Self.activationTime : nil) else {
            return fail(place, .nobodyReceives, because: "no client receives as '\(group.name)'", on: loop)
        }
        table[place].offer?.patience = loop.call(after: patience) { [unowned self] in endPatience(of: place, on: loop) }
        group.queue.add(place, of: offer.account)
        if handler.startsReceiver { startReceiver(for: offer, within: patience, on: loop) }
    }

    /// Starts the program that should receive, unless a program that was started may still do so.
    private func startReceiver(
        for offer: Delivery.Offer, within patience: Duration, on loop: isolated EventLoop
    ) {
        let (group, handler) = (offer.group, offer.handler)
        if let deadline = group.startDeadline, deadline > loop.now { return }
        let deadline = loop.now + patience
        group.startDeadline = deadline
        let request = offer.held.execution.request
        Task.immediate(executorPreference: loop.executor) {
            do {
                try await handler.startReceiver(for: request, at: socket)
            } catch {
                // The start may fail so late that another program was started in the meantime, or a client receives.
                guard group.startDeadline == deadline, group.receivers.isEmpty else { return }
                group.startDeadline = nil
                let cause = "cannot start the program that receives as '\(group.name)': \(error)"
                for place in group.queue.all { fail(place, .cannotStart, because: cause, on: loop) }
                removeIfUnused(group)
            }
        }
    }

    private func endPatience(of place: DeliveryTable.Place, on loop: isolated EventLoop) {
        guard table.contains(place), let offer = table[place].offer else { return }
        let group = offer.group
        let failure =
            offer.handler.startsReceiver
            ? "the started program does not receive as '\(group.name)' yet"
            : "no client started to receive as '\(group.name)' in time"
        fail(place, .nobodyReceives, because: failure, on: loop)
        // The next request can start the program again.
        if group.queue.isEmpty { group.startDeadline = nil }
        removeIfUnused(group)
    }

    private func hand(_ place: DeliveryTable.Place, to receiver: ReceivingClient, on loop: isolated EventLoop) {
        let id = table.makeName(of: place, for: receiver.stream.peer.userID)
        guard let offer = table[place].take(by: receiver, as: id) else { return }
        if let patience = offer.patience { loop.cancel(patience) }
        receiver.places.insert(place)
        message.removeAll(keepingCapacity: message.capacity <= Self.keptCapacity)
        let limit = max(table[place].deadline - loop.now, .zero)
        let digits = id.digits
        offer.held.execution.withRequest {
            offer.handler.write(messageOf: $0, id: digits.span, limit: limit, to: &message)
        }
        // A copy, so that the stream holds no unused capacity.
        receiver.stream.add(Array(message[...]))
    }

    /// Makes the receiver of an ended delivery available again.
    private func free(_ receiver: ReceivingClient, from place: DeliveryTable.Place, on loop: isolated EventLoop) {
        table.end(place)
        receiver.places.remove(place)
        handNext(of: receiver.group, on: loop)
        retireIfIdle(receiver)
    }

    private func withdraw(_ place: DeliveryTable.Place, _ offer: Delivery.Offer, on loop: isolated EventLoop) {
        if let patience = offer.patience { loop.cancel(patience) }
        offer.group.queue.remove(place)
        removeIfUnused(offer.group)
    }

    private func expire(_ place: DeliveryTable.Place, on loop: isolated EventLoop) {
        guard table.contains(place), let (receiver, account) = table[place].expire() else { return }
        account.give(.requests)
        free(receiver, from: place, on: loop)
    }

    /// Ends a delivery without its receiver; if the session waits, it gets an error.
    private func fail(
        _ place: DeliveryTable.Place, _ error: CallbackError, because cause: String? = nil, on loop: isolated EventLoop
    ) {
        if let cause, let offer = table[place].offer {
            failureCauses.note(cause, of: offer.held.execution.request)
        }
        let remainder = table[place].fail()
        table.end(place)
        if let timer = remainder.timer { loop.cancel(timer) }
        remainder.account?.give(.requests)
        if let offer = remainder.offer { withdraw(place, offer, on: loop) }
        remainder.session?.endDelivery(with: .failure(error), on: loop)
    }

    /// Delivers the queued requests of a group to available receivers.
    private func handNext(of group: ReceiverGroup, on loop: isolated EventLoop) {
        if isStopping { return }
        while let free = group.freeReceiver, let place = group.queue.takeNext() {
            hand(place, to: free, on: loop)
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
    ///   - key: The key with which its user can retire it.
    ///   - loop: The loop.
    func add(_ stream: ReplyStream, as name: String, prefetch: Int, key: String?, on loop: isolated EventLoop) {
        let group = group(of: name)
        group.receivers.append(ReceivingClient(stream, of: group, prefetch: prefetch, key: key, since: loop.now))
        group.startDeadline = nil
        // Queued requests now wait for a busy receiver.
        for place in group.queue.all {
            if let patience = table[place].offer?.patience { loop.cancel(patience) }
            table[place].offer?.patience = nil
        }
        handNext(of: group, on: loop)
    }

    /// Removes a receiver that has disconnected or whose call has ended; the requests it is handling fail.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard let group = stream.name.flatMap({ groups[$0] }),
            let index = group.receivers.firstIndex(where: { $0.stream === stream })
        else { return }
        let receiver = group.receivers.remove(at: index)
        for place in receiver.places { fail(place, .receiverGone, on: loop) }
        if group.receivers.isEmpty { placeAgain(group, on: loop) }
        removeIfUnused(group)
    }

    /// Requests that waited for a busy receiver now wait for any receiver.
    private func placeAgain(_ group: ReceiverGroup, on loop: isolated EventLoop) {
        let places = group.queue.all
        group.queue = DeliveryQueue()
        for place in places {
            // A failing request can leave the group unused for a moment, but the next request may wait in it.
            groups[group.name] = group
            if let offer = table[place].offer { self.place(place, offer, on: loop) }
        }
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
        if let ending = receiver.ending, receiver.places.isEmpty { receiver.stream.end(with: ending) }
    }

    /// Handles the response to a delivery.
    ///
    /// - Parameters:
    ///   - id: The name of the delivery; nil if the client sent an invalid name.
    ///   - response: The response.
    ///   - peer: The client.
    ///   - loop: The loop.
    /// - Returns: The reason why the response is rejected; nil if it is accepted.
    func respond(_ id: Token?, _ response: Response, from peer: Peer, on loop: isolated EventLoop) -> ResponseFault? {
        guard let id else { return .unknown }
        do throws(ResponseFault) {
            guard let place = try table.place(of: id, for: peer.userID) else { return .tooLate }
            switch table[place].respond() {
            case .answer(let session, let receiver):
                free(receiver, from: place, on: loop)
                session.endDelivery(with: .success(response), on: loop)
                return nil
            case .late(let receiver, let limit, let account):
                loop.cancel(limit)
                account.give(.requests)
                free(receiver, from: place, on: loop)
                return .tooLate
            case .rejected(let fault): return fault
            }
        } catch {
            return error
        }
    }

    /// All receivers, sorted by name, user and process.
    var all: [ReceivingClient] {
        groups.values.flatMap(\.receivers).sorted { first, second in
            if first.group.name != second.group.name { return first.group.name < second.group.name }
            let (one, other) = (first.stream.peer, second.stream.peer)
            return (one.userID, one.processID, first.start) < (other.userID, other.processID, second.start)
        }
    }

    /// Ends all deliveries because the daemon stops.
    func stop(on loop: isolated EventLoop) {
        isStopping = true
        for place in table.places { fail(place, .shuttingDown, on: loop) }
    }
}

/// The reason why a response is rejected.
enum ResponseFault: Error {
    /// No receiver of this user had the request.
    case unknown
    /// The request already has a response.
    case alreadyAnswered
    /// The request ended without a response.
    case tooLate
}

extension VarlinkError {
    fileprivate static let retired = VarlinkError("\(RouterInterface.name).Retired")
}

extension CallbackError {
    fileprivate static let nobodyReceives = CallbackError(.unavailable, "No application can handle this at the moment.")
    fileprivate static let receiverGone = CallbackError(
        .unavailable, "The application that was handling this has disconnected.")
    fileprivate static let cannotStart = CallbackError(
        .unavailable, "The application that handles this cannot be started.")
}

extension Receivers {
    /// Returns the clients that receive, as the reply to `Status` shows them.
    ///
    /// - Parameters:
    ///   - userID: The user whose receivers are included; nil for all.
    ///   - now: The current time.
    /// - Returns: An object each.
    func json(for userID: UInt32?, at now: Duration) -> [JSONValue] {
        all.filter { userID == nil || userID == $0.stream.peer.userID }.map { receiver in
            [
                "name": .string(receiver.group.name), "peer": receiver.stream.peer.json,
                "uptime": .number(JSONNumber(seconds: now - receiver.start)),
                "requests": .whole(receiver.places.count), "prefetch": .whole(receiver.prefetch),
            ]
        }
    }
}
