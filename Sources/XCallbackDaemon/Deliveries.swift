import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// The requests that are handed to clients, and the clients that receive them; it lives on the event loop.
///
/// A receiver has as many requests at a time as it wants, and those that wait are handed over in their order.
final class Deliveries {
    /// How long a program that was started may take until it receives, if the route does not say.
    private static let activationTime = Duration.seconds(10)

    /// A client that receives.
    private final class Receiver {
        let stream: ReplyStream
        /// How many requests it takes at a time.
        let prefetch: Int
        /// The requests that it has not responded to, the oldest first.
        var current: [Delivery] = []

        init(_ stream: ReplyStream, prefetch: Int) {
            self.stream = stream
            self.prefetch = prefetch
        }

        var isFree: Bool { current.count < prefetch }
    }

    /// A request on its way.
    private final class Delivery {
        let id: Token
        let request: Request
        let handler: DeliverHandler
        /// Where the request came from.
        let requester: ConnectionID
        let deadline: Duration
        let finish: (Result<Response, CallbackError>) -> Void
        /// Who has it; nil while it waits for a receiver.
        var receiver: Receiver?
        /// What ends the wait for anybody who receives.
        var patience: DelayedCall?

        init(
            _ id: Token, _ request: Request, _ handler: DeliverHandler, from requester: ConnectionID,
            until deadline: Duration, finish: @escaping (Result<Response, CallbackError>) -> Void
        ) {
            self.id = id
            self.request = request
            self.handler = handler
            self.requester = requester
            self.deadline = deadline
            self.finish = finish
        }
    }

    private let socket: String
    private let tokens: TokenSource
    private var receivers: [String: [Receiver]] = [:]
    private var deliveries: [Token: Delivery] = [:]
    /// The delivery to whom each requester waits for.
    private var requesters: [ConnectionID: Delivery] = [:]
    /// What waits for a receiver, by name.
    private var queues: [String: [Delivery]] = [:]
    /// The names for which a program was started that does not receive yet.
    private var starting: Set<String> = []
    private var record = DeliveryRecord()
    /// Whether nothing is handed over any more.
    private var isStopping = false

    init(socket: String, tokens: TokenSource) {
        self.socket = socket
        self.tokens = tokens
    }

    /// Hands a request to a receiver.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - handler: What the configuration says of it.
    ///   - requester: The connection that it came from, which has no other request meanwhile.
    ///   - timeout: How long it may take.
    ///   - loop: The loop.
    ///   - finish: Takes what the receiver has responded, or why nobody has; not called after ``cancel(_:on:)``.
    func deliver(
        _ request: Request, by handler: DeliverHandler, from requester: ConnectionID, within timeout: Duration,
        on loop: isolated EventLoop, finish: @escaping (Result<Response, CallbackError>) -> Void
    ) {
        let delivery = Delivery(
            tokens.make(), request, handler, from: requester, until: loop.now + timeout, finish: finish)
        deliveries[delivery.id] = delivery
        requesters[requester] = delivery
        place(delivery, on: loop)
    }

    /// Ends a delivery that nobody waits for any more.
    func cancel(_ requester: ConnectionID, on loop: isolated EventLoop) {
        if let delivery = requesters[requester] { end(delivery, with: nil, on: loop) }
    }

    /// Hands a request to a free receiver, or lets it wait for one.
    private func place(_ delivery: Delivery, on loop: isolated EventLoop) {
        if isStopping { return end(delivery, with: .failure(.shuttingDown), on: loop) }
        let name = delivery.handler.name
        if let free = freeReceiver(of: name) { return hand(delivery, to: free, on: loop) }
        if receivers[name] == nil {
            do throws(CallbackError) {
                try wait(delivery, on: loop)
            } catch {
                return end(delivery, with: .failure(error), on: loop)
            }
        }
        queues[name, default: []].append(delivery)
        if receivers[name] == nil { activate(delivery.handler, on: loop) }
    }

    /// Who has the fewest requests of those that take one more.
    private func freeReceiver(of name: String) -> Receiver? {
        var best: Receiver?
        for receiver in receivers[name] ?? [] where receiver.isFree {
            if receiver.current.isEmpty { return receiver }
            if receiver.current.count < best?.current.count ?? .max { best = receiver }
        }
        return best
    }

    /// Lets a request wait until somebody receives, if the configuration says so.
    private func wait(_ delivery: Delivery, on loop: isolated EventLoop) throws(CallbackError) {
        let handler = delivery.handler
        guard let patience = handler.wait ?? handler.activation.map({ _ in Self.activationTime }) else {
            throw .nobodyReceives
        }
        let id = delivery.id
        delivery.patience = loop.call(after: patience) { loop in
            (loop.service as? RequestService)?.deliveries.endPatience(of: id, on: loop)
        }
    }

    /// Starts the program that is to receive, if there is one that has not been started yet.
    private func activate(_ handler: DeliverHandler, on loop: isolated EventLoop) {
        let name = handler.name
        guard let activation = handler.activation, starting.insert(name).inserted else { return }
        Task.immediate(executorPreference: loop.executor) {
            do {
                try await activation.start(toReceiveAs: name, at: socket, on: loop)
            } catch {
                starting.remove(name)
                guard receivers[name, default: []].isEmpty else { return }
                for delivery in queues[name] ?? [] { end(delivery, with: .failure(.cannotStart), on: loop) }
            }
        }
    }

    private func endPatience(of id: Token, on loop: isolated EventLoop) {
        guard let delivery = deliveries[id], delivery.receiver == nil else { return }
        let name = delivery.handler.name
        end(delivery, with: .failure(.nobodyReceives), on: loop)
        // The next request may start the program again.
        if queues[name] == nil { starting.remove(name) }
    }

    private func hand(_ delivery: Delivery, to receiver: Receiver, on loop: isolated EventLoop) {
        delivery.receiver = receiver
        receiver.current.append(delivery)
        if let patience = delivery.patience { loop.cancel(patience) }
        let limit = max(delivery.deadline - loop.now, .zero)
        receiver.stream.add(delivery.handler.message(of: delivery.request, id: delivery.id.description, limit: limit))
    }

    /// Ends a delivery; its receiver is free again, and the requester hears of the result, if there is one.
    private func end(_ delivery: Delivery, with result: Result<Response, CallbackError>?, on loop: isolated EventLoop) {
        guard deliveries.removeValue(forKey: delivery.id) != nil else { return }
        requesters[delivery.requester] = nil
        if let patience = delivery.patience { loop.cancel(patience) }
        let name = delivery.handler.name
        if let receiver = delivery.receiver {
            let isAnswered = if case .success? = result { true } else { false }
            record.note(isAnswered ? .answered : .lost, of: delivery.id, to: receiver.stream.peer.userID)
            receiver.current.removeAll { $0 === delivery }
            handNext(name, on: loop)
        } else {
            queues[name]?.removeAll { $0 === delivery }
            if queues[name]?.isEmpty == true { queues[name] = nil }
        }
        if let result { delivery.finish(result) }
    }

    /// Hands what waits for a name to those who are free.
    private func handNext(_ name: String, on loop: isolated EventLoop) {
        while let delivery = queues[name]?.first, let free = freeReceiver(of: name) {
            queues[name]?.removeFirst()
            hand(delivery, to: free, on: loop)
        }
        if queues[name]?.isEmpty == true { queues[name] = nil }
    }
}

// MARK: - Receivers

extension Deliveries {
    /// Lets a client receive.
    ///
    /// - Parameters:
    ///   - stream: Where its requests are told.
    ///   - name: What it receives as.
    ///   - prefetch: How many requests it takes at a time.
    ///   - loop: The loop.
    func add(_ stream: ReplyStream, as name: String, prefetch: Int, on loop: isolated EventLoop) {
        receivers[name, default: []].append(Receiver(stream, prefetch: prefetch))
        starting.remove(name)
        handNext(name, on: loop)
    }

    /// Ends what a client receives, if it does: the requests that it has are lost.
    func remove(_ connection: ConnectionID, on loop: isolated EventLoop) {
        for (name, known) in receivers {
            guard let receiver = known.first(where: { $0.stream.connection == connection }) else { continue }
            let rest = known.filter { $0 !== receiver }
            receivers[name] = rest.isEmpty ? nil : rest
            for delivery in receiver.current { end(delivery, with: .failure(.receiverGone), on: loop) }
            guard rest.isEmpty else { continue }
            // Those who have waited for somebody to be free wait for anybody at all now.
            for delivery in queues.removeValue(forKey: name) ?? [] { place(delivery, on: loop) }
        }
    }

    /// Takes the response to a delivery; a name that is none is unknown.
    ///
    /// - Returns: Why it is not taken, or nil.
    func respond(_ id: Token?, _ response: Response, from peer: Peer, on loop: isolated EventLoop) -> ResponseFault? {
        guard let id else { return .unknown }
        if let delivery = deliveries[id], delivery.receiver?.stream.peer.userID == peer.userID {
            end(delivery, with: .success(response), on: loop)
            return nil
        }
        return switch record.ending(of: id, to: peer.userID) {
        case .answered: .alreadyAnswered
        case .lost: .tooLate
        case nil: .unknown
        }
    }

    /// Ends all deliveries, as nobody can respond any more.
    func stop(on loop: isolated EventLoop) {
        isStopping = true
        for delivery in Array(deliveries.values) { end(delivery, with: .failure(.shuttingDown), on: loop) }
    }

    /// How many clients receive.
    var receiverCount: Int { receivers.values.reduce(0) { $0 + $1.count } }
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
