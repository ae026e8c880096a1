import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

/// A request that is delivered to a receiver; lives on the event loop.
///
/// A state machine: each event returns the actions to take. The caller can leave at any time; the receiver then stays
/// busy until it responds or the request times out.
final class Delivery {
    /// Where a delivery is between its request and the end of the receiver's work.
    private enum Phase {
        /// No receiver has the request yet.
        case offered(ClientSession, SuspendedExecution, patience: DelayedCall?)
        /// A receiver has the request, and the caller waits.
        case taken(by: ReceivingClient, for: ClientSession)
        /// A receiver has the request, and the caller has left.
        case abandoned(by: ReceivingClient, limit: DelayedCall, Account)
        /// The receiver responded in time.
        case answered
        /// The delivery ended without a response in time.
        case ended
    }

    let handler: any DeliveringHandler
    /// The account whose turn the delivery uses.
    let account: AccountName
    /// When the request times out.
    let deadline: Duration
    /// The name by which the receiver identifies the delivery, and the receiver's user; nil until a receiver takes it.
    private(set) var name: (id: Token, userID: UInt32)?
    private var phase: Phase

    /// Creates a delivery of the request of a session, which gets the result unless it leaves before.
    init(
        _ held: SuspendedExecution, for session: ClientSession, by handler: any DeliveringHandler,
        until deadline: Duration
    ) {
        self.handler = handler
        account = session.account.name
        self.deadline = deadline
        phase = .offered(session, held, patience: nil)
    }

    /// Whether it has ended without a response in time.
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// The request, until a receiver takes it; nil afterwards.
    var held: SuspendedExecution? { if case .offered(_, let held, _) = phase { held } else { nil } }

    /// The session that waits for the response of a receiver; nil if there is none.
    var caller: ClientSession? { if case .taken(_, let session) = phase { session } else { nil } }

    /// Replaces the timer that ends the wait for a receiver, and cancels the current one.
    func setPatience(_ timer: DelayedCall?, on loop: isolated EventLoop) {
        guard case .offered(let session, let held, let old) = phase else { return }
        if let old { loop.cancel(old) }
        phase = .offered(session, held, patience: timer)
    }

    /// Assigns the delivery to a receiver.
    ///
    /// - Returns: The name by which the receiver identifies it, and the request; nil if another receiver has it.
    func take(by receiver: ReceivingClient, on loop: isolated EventLoop) -> (Token, SuspendedExecution)? {
        setPatience(nil, on: loop)
        guard case .offered(let session, let held, _) = phase else { return nil }
        let id = Token()
        name = (id, receiver.stream.peer.userID)
        phase = .taken(by: receiver, for: session)
        return (id, held)
    }

    /// Ends the delivery when the caller leaves before a receiver has it; false if a receiver has it.
    func withdraw(on loop: isolated EventLoop) -> Bool {
        guard case .offered = phase else { return false }
        setPatience(nil, on: loop)
        phase = .ended
        return true
    }

    /// Leaves the delivery with its receiver when the caller leaves.
    ///
    /// - Parameters:
    ///   - limit: The timer that calls ``expire()`` at the deadline.
    ///   - account: The account to which the request counts until it ends.
    /// - Returns: The receiver, which must be notified, and the name that it uses; nil if the caller does not wait.
    func abandon(until limit: DelayedCall, as account: Account) -> (ReceivingClient, Token)? {
        guard case .taken(let receiver, _) = phase, let name else { return nil }
        phase = .abandoned(by: receiver, limit: limit, account)
        return (receiver, name.id)
    }

    /// The effect of a response.
    enum Reception {
        /// The caller gets the response.
        case answer(ClientSession, ReceivingClient)
        /// The response is too late; the receiver is available again.
        case late(ReceivingClient, limit: DelayedCall, Account)
    }

    /// Handles the response of the receiver.
    ///
    /// - Throws: ``VarlinkError`` if the response is rejected.
    func respond() throws(VarlinkError) -> Reception {
        switch phase {
        case .offered: throw .unknownRequest
        case .taken(let receiver, let session):
            phase = .answered
            return .answer(session, receiver)
        case .abandoned(let receiver, let limit, let account):
            phase = .ended
            return .late(receiver, limit: limit, account)
        case .answered: throw .alreadyAnswered
        case .ended: throw .tooLate
        }
    }

    /// Ends the delivery at its deadline, if the caller has left.
    ///
    /// - Returns: The receiver, which is available again, and the account of the request; nil if the delivery has ended
    ///   or the caller waits.
    func expire() -> (ReceivingClient, Account)? {
        guard case .abandoned(let receiver, _, let account) = phase else { return nil }
        phase = .ended
        return (receiver, account)
    }

    /// Ends the delivery because its receiver has disconnected or no receiver can take it.
    ///
    /// - Returns: The session that waits for the response; nil if the caller has left.
    func fail(on loop: isolated EventLoop) -> ClientSession? {
        setPatience(nil, on: loop)
        let session: ClientSession?
        switch phase {
        case .offered(let waiting, _, _), .taken(_, let waiting): session = waiting
        case .abandoned(_, let limit, let account):
            loop.cancel(limit)
            account.give(.requests)
            session = nil
        case .answered, .ended: return nil
        }
        phase = .ended
        return session
    }
}

/// The deliveries that wait for a receiver: accounts take turns; each account's deliveries stay in order.
struct DeliveryQueue {
    /// All waiting deliveries, in the order of the turns.
    private(set) var all: [Delivery] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ delivery: Delivery) { all.append(delivery) }

    /// Removes and returns the first suitable delivery; the others of its account then wait behind all others.
    mutating func takeNext(where isSuitable: (Delivery) -> Bool) -> Delivery? {
        guard let index = all.firstIndex(where: isSuitable) else { return nil }
        let delivery = all.remove(at: index)
        all = all.filter { $0.account != delivery.account } + all.filter { $0.account == delivery.account }
        return delivery
    }

    /// Removes a delivery that no longer waits.
    mutating func remove(_ delivery: Delivery) { all.removeAll { $0 === delivery } }
}
