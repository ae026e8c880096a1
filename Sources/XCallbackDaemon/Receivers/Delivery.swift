import XCallbackEventLoop
import XCallbackPipeline

/// A request that is handed to a client that receives.
///
/// A state machine: each event returns what must be done. The caller can leave at any time; the receiver then stays busy
/// until it responds or the limit of the request expires.
struct Delivery {
    /// Where a delivery is between its request and the end of the receiver's work.
    enum State: String, MachineState {
        /// No client has it yet.
        case offered
        /// A client has it, and the caller waits.
        case taken
        /// A client has it, and the caller has left.
        case abandoned
        /// The receiver has responded in time.
        case answered
        /// It has ended without a response in time.
        case ended

        /// What can happen to a delivery.
        enum Event: String, CaseIterable {
            /// A receiver is free.
            case take
            /// The receiver responds.
            case respond
            /// The caller disconnects, its request times out, or the daemon interrupts it.
            case leave
            /// The limit of the request expires.
            case expire
            /// The receiver disconnects, no receiver comes, or the daemon stops.
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

    /// What a delivery needs until a receiver takes it.
    struct Offer {
        let session: ClientSession
        let held: HeldWalk
        let handler: any DeliveringHandler
        let group: ReceiverGroup
        /// What ends the wait for a receiver, while there is none.
        var patience: DelayedCall?

        /// Whose turn it takes.
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

    /// When the limit of the request expires.
    let deadline: Duration
    /// The name that the receiver knows it by, and the user of the receiver; nil until one takes it.
    private(set) var name: (id: Token, userID: UInt32)?
    private var phase: Phase {
        didSet { assert(oldValue.state.leads(to: state)) }
    }

    /// Begins a delivery.
    init(_ offer: Offer, until deadline: Duration) {
        self.deadline = deadline
        phase = .offered(offer)
    }

    /// Where it is.
    var state: State { phase.state }

    /// What it needs until a receiver takes it; nil afterwards.
    var offer: Offer? {
        get { if case .offered(let offer) = phase { offer } else { nil } }
        set { if case .offered = phase, let newValue { phase = .offered(newValue) } }
    }

    /// Gives it to a receiver.
    ///
    /// - Parameters:
    ///   - receiver: The receiver.
    ///   - id: The name that the receiver knows it by.
    /// - Returns: What the receiver's message is made of; nil if another receiver has it.
    mutating func take(by receiver: ReceivingClient, as id: Token) -> Offer? {
        guard case .offered(let offer) = phase else { return nil }
        name = (id, receiver.stream.peer.userID)
        phase = .taken(by: receiver, for: offer.session)
        return offer
    }

    /// Ends it when the caller leaves before a receiver has it.
    ///
    /// - Returns: What it needed until a receiver would have taken it; nil if a receiver has it.
    mutating func withdraw() -> Offer? {
        guard case .offered(let offer) = phase else { return nil }
        phase = .ended
        return offer
    }

    /// Leaves it to its receiver when the caller leaves.
    ///
    /// - Parameters:
    ///   - limit: What calls ``expire()`` at the deadline.
    ///   - account: Who holds the request until it ends.
    /// - Returns: The receiver, which must be told, and the name that it knows; nil if the caller does not wait.
    mutating func abandon(until limit: DelayedCall, as account: Account) -> (ReceivingClient, Token)? {
        guard case .taken(let receiver, _) = phase, let name else { return nil }
        phase = .abandoned(by: receiver, limit: limit, account)
        return (receiver, name.id)
    }

    /// What a response does.
    enum Reception {
        /// The caller gets it.
        case answer(ClientSession, ReceivingClient)
        /// It is too late, and the receiver is free.
        case late(ReceivingClient, limit: DelayedCall, Account)
        /// It is not taken.
        case rejected(ResponseFault)
    }

    /// Takes the response of the receiver.
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

    /// Ends it at its deadline, if the caller has left.
    ///
    /// - Returns: The receiver, which is free, and who has held the request; nil if it has ended, or the caller waits.
    mutating func expire() -> (ReceivingClient, Account)? {
        guard case .abandoned(let receiver, _, let account) = phase else { return nil }
        phase = .ended
        return (receiver, account)
    }

    /// What is left of a delivery that fails.
    struct Remainder {
        /// The session that waits for the response; nil if the caller has left.
        var session: ClientSession?
        /// What it needed until a receiver would have taken it.
        var offer: Offer?
        var timer: DelayedCall?
        /// Who has held the request since the caller has left.
        var account: Account?
    }

    /// Ends it, as its receiver has disconnected, or none can have it.
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
