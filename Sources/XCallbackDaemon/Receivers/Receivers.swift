import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// The requests that are handed to clients, and the clients that receive them; it lives on the event loop.
///
/// A receiver has as many requests at a time as it wants, and those that wait are handed over in their order.
final class Receivers {
    /// How long a program that was started may take until it receives, if the route does not say.
    private static let activationTime = Duration.seconds(10)
    /// How much memory is kept for the messages to come, in bytes.
    private static let keptCapacity = 65_536

    private let socket: String
    private let tokens: TokenSource
    private var groups: [String: ReceiverGroup] = [:]
    private var table = DeliveryTable()
    /// Memory for one message after the other.
    private var message: [UInt8] = []
    /// Whether nothing is handed over any more.
    private var isStopping = false

    init(socket: String, tokens: TokenSource) {
        self.socket = socket
        self.tokens = tokens
    }

    /// Hands the request of a session to a receiver.
    ///
    /// - Parameters:
    ///   - held: The request.
    ///   - session: Whose request waits for it; it is told what comes of that, unless it cancels it.
    ///   - handler: What the configuration says of the request.
    ///   - timeout: How long it may take.
    ///   - loop: The loop.
    func deliver(
        _ held: HeldWalk, for session: ClientSession, by handler: any DeliveringHandler, within timeout: Duration,
        on loop: isolated EventLoop
    ) {
        let group = group(of: handler.name)
        let slot = table.add(
            tokens.makeNumber(), held, for: session, by: handler, to: group, until: loop.now + timeout)
        session.deliverySlot = slot
        place(slot, in: group, by: handler, on: loop)
    }

    /// Ends a delivery that nobody waits for any more.
    func cancel(_ slot: Int, on loop: isolated EventLoop) {
        end(slot, with: nil, on: loop)
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

    /// Hands a request to a free receiver, or lets it wait for one.
    private func place(
        _ slot: Int, in group: ReceiverGroup, by handler: any DeliveringHandler, on loop: isolated EventLoop
    ) {
        if isStopping { return end(slot, with: .failure(.shuttingDown), on: loop) }
        if let free = group.freeReceiver { return hand(slot, to: free, on: loop) }
        guard group.receivers.isEmpty else { return group.queue.append(slot) }
        guard let patience = handler.wait ?? handler.activation.map({ _ in Self.activationTime }) else {
            return end(slot, with: .failure(.nobodyReceives), on: loop)
        }
        let id = table[slot].id
        table[slot].patience = loop.call(after: patience) { [unowned self] in endPatience(of: id, on: loop) }
        group.queue.append(slot)
        if let activation = handler.activation { start(activation, for: group, within: patience, on: loop) }
    }

    /// Starts the program that is to receive, unless one that was started may still come to it.
    private func start(
        _ activation: any ReceiverActivation, for group: ReceiverGroup, within patience: Duration,
        on loop: isolated EventLoop
    ) {
        if let deadline = group.startDeadline, deadline > loop.now { return }
        let deadline = loop.now + patience
        group.startDeadline = deadline
        Task.immediate(executorPreference: loop.executor) {
            do {
                try await activation.start(toReceiveAs: group.name, at: socket)
            } catch {
                // It may fail so late that another one was started since, or somebody receives.
                guard group.startDeadline == deadline, group.receivers.isEmpty else { return }
                group.startDeadline = nil
                for slot in group.queue { end(slot, with: .failure(.cannotStart), on: loop) }
                removeIfUnused(group)
            }
        }
    }

    private func endPatience(of id: Token, on loop: isolated EventLoop) {
        guard let slot = table.slot(of: id), case .waiting = table[slot].state, let group = table[slot].group else {
            return
        }
        end(slot, with: .failure(.nobodyReceives), on: loop)
        // The next request may start the program again.
        if group.queue.isEmpty { group.startDeadline = nil }
        removeIfUnused(group)
    }

    private func hand(_ slot: Int, to receiver: ReceivingClient, on loop: isolated EventLoop) {
        table[slot].state = .handed(receiver)
        table[slot].userID = receiver.stream.peer.userID
        receiver.currentCount += 1
        if let patience = table[slot].patience.take() { loop.cancel(patience) }
        guard let held = table[slot].held, let handler = table[slot].handler else { return }
        message.removeAll(keepingCapacity: message.capacity <= Self.keptCapacity)
        let limit = max(table[slot].deadline - loop.now, .zero)
        let digits = table[slot].id.digits
        held.walk.withRequest { handler.write(messageOf: $0, id: digits.span, limit: limit, to: &message) }
        // It is kept in a piece of memory of its own size.
        receiver.stream.add(Array(message[...]))
    }

    /// Ends a delivery; its receiver is free again, and the session hears of the result, if there is one.
    private func end(_ slot: Int, with result: Result<Response, CallbackError>?, on loop: isolated EventLoop) {
        guard let session = table[slot].session, let group = table[slot].group else { return }
        if let patience = table[slot].patience { loop.cancel(patience) }
        if case .handed(let receiver) = table[slot].state {
            let isAnswered = if case .success? = result { true } else { false }
            table.end(slot, as: isAnswered ? .answered : .lost)
            receiver.currentCount -= 1
            handNext(of: group, on: loop)
        } else {
            table.end(slot, as: .lost)
            group.queue.removeAll { $0 == slot }
            removeIfUnused(group)
        }
        if let result { session.endDelivery(with: result, on: loop) }
    }

    /// Hands what waits in a group to those who are free.
    private func handNext(of group: ReceiverGroup, on loop: isolated EventLoop) {
        if isStopping { return }
        while let slot = group.queue.first, let free = group.freeReceiver {
            group.queue.removeFirst()
            hand(slot, to: free, on: loop)
        }
    }
}

// MARK: - Receivers

extension Receivers {
    /// Lets a client receive.
    ///
    /// - Parameters:
    ///   - stream: Where its requests are told.
    ///   - name: What it receives as.
    ///   - prefetch: How many requests it takes at a time.
    ///   - loop: The loop.
    func add(_ stream: ReplyStream, as name: String, prefetch: Int, on loop: isolated EventLoop) {
        let group = group(of: name)
        group.receivers.append(ReceivingClient(stream, prefetch: prefetch))
        group.startDeadline = nil
        // Somebody receives: who has to wait now waits for that one to be free.
        for slot in group.queue {
            if let patience = table[slot].patience.take() { loop.cancel(patience) }
        }
        handNext(of: group, on: loop)
    }

    /// Ends what a client receives: the requests that it has are lost.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard let group = stream.name.flatMap({ groups[$0] }),
            let index = group.receivers.firstIndex(where: { $0.stream === stream })
        else { return }
        let receiver = group.receivers.remove(at: index)
        if receiver.currentCount > 0 {
            for slot in table.slots {
                guard case .handed(let other) = table[slot].state, other === receiver else { continue }
                end(slot, with: .failure(.receiverGone), on: loop)
            }
        }
        if group.receivers.isEmpty { placeAgain(group, on: loop) }
        removeIfUnused(group)
    }

    /// Lets those who have waited for somebody to be free wait for anybody at all.
    private func placeAgain(_ group: ReceiverGroup, on loop: isolated EventLoop) {
        let slots = group.queue
        group.queue = []
        for slot in slots {
            // The end of one leaves the group unused for a moment, but the next one may wait in it.
            groups[group.name] = group
            if let handler = table[slot].handler { place(slot, in: group, by: handler, on: loop) }
        }
    }

    /// Takes the response to a delivery; a name that is none is unknown.
    ///
    /// - Returns: Why it is not taken, or nil.
    func respond(_ id: Token?, _ response: Response, from peer: Peer, on loop: isolated EventLoop) -> ResponseFault? {
        guard let slot = id.flatMap({ table.slot(of: $0) }), table[slot].userID == peer.userID else { return .unknown }
        switch table[slot].state {
        case .waiting: return .unknown
        case .handed:
            end(slot, with: .success(response), on: loop)
            return nil
        case .answered: return .alreadyAnswered
        case .lost: return .tooLate
        }
    }

    /// Ends all deliveries, as nobody can respond any more.
    func stop(on loop: isolated EventLoop) {
        isStopping = true
        for slot in table.slots { end(slot, with: .failure(.shuttingDown), on: loop) }
    }
}

/// Why a response is not taken.
enum ResponseFault {
    /// There is no such request for the client.
    case unknown
    /// The request has its response.
    case alreadyAnswered
    /// The request has ended without one.
    case tooLate
}

extension CallbackError {
    fileprivate static let nobodyReceives = CallbackError(.unavailable, "Nobody is there to do this at the moment.")
    fileprivate static let receiverGone = CallbackError(
        .unavailable, "The application that was doing this has gone away.")
    fileprivate static let cannotStart = CallbackError(
        .unavailable, "The application that does this cannot be started.")
}
