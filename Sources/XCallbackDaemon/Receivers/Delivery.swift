import XCallbackEventLoop
import XCallbackPipeline

/// A request that is delivered to a receiver.
///
/// A state machine: each event returns the actions to take. The caller can leave at any time; the receiver then stays
/// busy until it responds or the request times out.
struct Delivery {
    /// Where a delivery is between its request and the end of the receiver's work.
    enum State: String, MachineState {
        /// No receiver has the request yet.
        case offered
        /// A receiver has the request, and the caller waits.
        case taken
        /// A receiver has the request, and the caller has left.
        case abandoned
        /// The receiver responded in time.
        case answered
        /// The delivery ended without a response in time.
        case ended

        /// The events of a delivery.
        enum Event: String, CaseIterable {
            /// A receiver is available.
            case take
            /// The receiver responds.
            case respond
            /// The caller disconnects, its request times out, or the daemon interrupts it.
            case leave
            /// The request times out.
            case expire
            /// The receiver disconnects, no receiver is available, or the daemon stops.
            case fail
        }

        func after(_ event: Event) -> State? {
            switch (self, event) {
            case (.offered, .take): .taken
            case (.taken, .respond): .answered
            case (.taken, .leave): .abandoned
            case (.offered, .leave), (.offered, .fail), (.taken, .fail): .ended
            case (.abandoned, .respond), (.abandoned, .expire), (.abandoned, .fail): .ended
            default: nil
            }
        }
    }

    /// The data of a delivery until a receiver takes it.
    struct Offer {
        let session: ClientSession
        let held: SuspendedExecution
        let handler: any DeliveringHandler
        let group: ReceiverGroup
        /// The timer that ends the wait for a receiver, if there is none.
        var patience: DelayedCall?

        /// The account whose turn the delivery uses.
        var account: AccountName { session.account.name }
    }

    private enum Phase {
        case offered(Offer)
        case taken(by: ReceivingClient, for: ClientSession)
        case abandoned(by: ReceivingClient, limit: DelayedCall, Account)
        case answered
        case ended

        var state: State {
            switch self {
            case .offered: .offered
            case .taken: .taken
            case .abandoned: .abandoned
            case .answered: .answered
            case .ended: .ended
            }
        }
    }

    /// When the request times out.
    let deadline: Duration
    /// The name by which the receiver identifies the delivery, and the receiver's user; nil until a receiver takes it.
    private(set) var name: (id: Token, userID: UInt32)?
    private var phase: Phase {
        didSet { assert(oldValue.state.leads(to: state)) }
    }

    /// Creates a delivery.
    init(_ offer: Offer, until deadline: Duration) {
        self.deadline = deadline
        phase = .offered(offer)
    }

    /// The current state.
    var state: State { phase.state }

    /// The data of the delivery until a receiver takes it; nil afterwards.
    var offer: Offer? {
        get { if case .offered(let offer) = phase { offer } else { nil } }
        set { if case .offered = phase, let newValue { phase = .offered(newValue) } }
    }

    /// Assigns the delivery to a receiver.
    ///
    /// - Parameters:
    ///   - receiver: The receiver.
    ///   - id: The name by which the receiver identifies the delivery.
    /// - Returns: The data for the message to the receiver; nil if another receiver has the delivery.
    mutating func take(by receiver: ReceivingClient, as id: Token) -> Offer? {
        guard case .offered(let offer) = phase else { return nil }
        name = (id, receiver.stream.peer.userID)
        phase = .taken(by: receiver, for: offer.session)
        return offer
    }

    /// Ends the delivery when the caller leaves before a receiver has it.
    ///
    /// - Returns: The data of the delivery; nil if a receiver has it.
    mutating func withdraw() -> Offer? {
        guard case .offered(let offer) = phase else { return nil }
        phase = .ended
        return offer
    }

    /// Leaves the delivery with its receiver when the caller leaves.
    ///
    /// - Parameters:
    ///   - limit: The timer that calls ``expire()`` at the deadline.
    ///   - account: The account to which the request counts until it ends.
    /// - Returns: The receiver, which must be notified, and the name that it uses; nil if the caller does not wait.
    mutating func abandon(until limit: DelayedCall, as account: Account) -> (ReceivingClient, Token)? {
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
        /// The response is rejected.
        case rejected(ResponseFault)
    }

    /// Handles the response of the receiver.
    mutating func respond() -> Reception {
        switch phase {
        case .offered: return .rejected(.unknown)
        case .taken(let receiver, let session):
            phase = .answered
            return .answer(session, receiver)
        case .abandoned(let receiver, let limit, let account):
            phase = .ended
            return .late(receiver, limit: limit, account)
        case .answered: return .rejected(.alreadyAnswered)
        case .ended: return .rejected(.tooLate)
        }
    }

    /// Ends the delivery at its deadline, if the caller has left.
    ///
    /// - Returns: The receiver, which is available again, and the account of the request; nil if the delivery has ended
    ///   or the caller waits.
    mutating func expire() -> (ReceivingClient, Account)? {
        guard case .abandoned(let receiver, _, let account) = phase else { return nil }
        phase = .ended
        return (receiver, account)
    }

    /// The resources of a failed delivery.
    struct Remainder {
        /// The session that waits for the response; nil if the caller has left.
        var session: ClientSession?
        /// The data of the delivery, if no receiver has taken it.
        var offer: Offer?
        var timer: DelayedCall?
        /// The account of the request since the caller left.
        var account: Account?
    }

    /// Ends the delivery because its receiver has disconnected or no receiver can take it.
    mutating func fail() -> Remainder {
        defer { if state != .answered { phase = .ended } }
        return switch phase {
        case .offered(let offer): Remainder(session: offer.session, offer: offer, timer: offer.patience)
        case .taken(_, let session): Remainder(session: session)
        case .abandoned(_, let limit, let account): Remainder(timer: limit, account: account)
        case .answered, .ended: Remainder()
        }
    }
}
