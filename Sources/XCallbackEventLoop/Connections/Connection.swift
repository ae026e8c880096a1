import XCallbackLinux

/// A connected descriptor, its session, and the data kept between two events.
final class Connection {
    /// The progress in reading the remaining input, once no more input is accepted.
    enum Drain {
        /// The client may send more.
        case no
        /// The remaining input must still be read, up to an end that the client has set or not.
        case begun(isClientsEnd: Bool)
        /// All input was read, up to an end that the client has not set: the last message may be incomplete.
        case done
    }

    /// The remaining input and output; empty most of the time.
    var unread: [UInt8] = []
    var unsent: [UInt8] = []
    /// The number of bytes of `unread` that the session has consumed.
    var consumedCount = 0
    /// The number of bytes of `unsent` that the socket has accepted.
    var sentCount = 0
    /// Whether the client has closed its sending side.
    var isAtEnd = false
    /// The progress in reading the remaining input, if no more is accepted.
    var drain = Drain.no
    /// What the session needs to continue.
    var need = Progress.Need.input
    /// Whether the connection closes once the session needs input and the output is sent.
    var isClosing = false
    /// Whether the output is complete and input is discarded, so that the client can still read its last line.
    var isLingering = false
    /// Whether input was received that the session has not processed yet.
    var hasArrival = false
    /// Whether answers are kept for the end of the batch.
    var awaitsSending = false
    /// Whether the connection waits for its turn.
    var isReady = false
    /// The connection with the next turn.
    var nextReady: Connection?
    /// The events of the descriptor since its last turn.
    var events: Poller.Events = []
    /// Whether its session can continue without an event of the descriptor.
    var isAwake = false
    /// Whether the descriptor is in the epoll set.
    var isWatched = false
    /// The events that the loop waits for.
    var interest: Poller.Events = []
    /// When the connection was accepted, in nanoseconds of the boot-time clock, which process start times use.
    let acceptedTime = bootTime()
    /// The deadline for the client's first byte, or for closing a lingering connection.
    var silence: DeadlineHeap<EventLoop.Deadline>.ID?
    /// The deadline for completing a message that has started.
    var message: DeadlineHeap<EventLoop.Deadline>.ID?
    /// The number of bytes that count toward its account.
    var heldCount = 0

    /// The supplementary groups of the peer, once they were needed.
    var groups: [UInt32]?

    /// Whether the session is a client of the service in this process, and not the service's side.
    var isOwnClient = false

    /// Whether the client can pass descriptors.
    var takesDescriptors = false

    let id: ConnectionID
    /// The number of the descriptor, which is closed with the connection.
    let number: Int32
    private var descriptor: Descriptor?
    /// The account whose turns the connection uses.
    var account: Account
    var session: any Session

    init(_ id: ConnectionID, _ descriptor: consuming Descriptor, _ session: any Session) {
        self.id = id
        number = descriptor.number
        self.descriptor = consume descriptor
        self.session = session
        account = session.account
    }

    /// Takes the descriptor, so that it can be closed elsewhere.
    func takeDescriptor() -> Descriptor? { descriptor.take() }

    /// Whether the socket has not accepted all output yet.
    var hasUnsent: Bool { !unsent.isEmpty }

    /// Whether there is no pending work, and more input may arrive.
    var isIdle: Bool {
        need == .input && interest == .readable && unread.isEmpty && unsent.isEmpty && heldCount == 0 && !isAwake
            && !isClosing && !isAtEnd && message == nil
    }

    /// Whether another read is due before it closes.
    var isOwedRead: Bool {
        guard case .begun = drain else { return false }
        return need == .input && !isAtEnd && !hasUnsent
    }

    /// Whether all input was read.
    var isInputDone: Bool {
        if case .done = drain { return true }
        return isAtEnd
    }

    /// Whether the client must complete a message; while it does not read, nothing more is received.
    var isAmidMessage: Bool { need == .input && !unread.isEmpty && !hasUnsent && !isClosing && !isAtEnd }

    /// Counts the kept bytes toward its account.
    ///
    /// - Throws: ``Excess`` if the limit of the account is exceeded.
    func countBytes() throws(Excess) {
        let count = unread.count + unsent.count
        guard count != heldCount else { return }
        if count > heldCount {
            try account.take(.bytes, count - heldCount)
        } else {
            account.give(.bytes, heldCount - count)
        }
        heldCount = count
    }

    /// Counts the connection toward another account from now on.
    func move(to other: Account) {
        account.give(.bytes, heldCount)
        other.hold(.bytes, heldCount)
        account = other
    }

    /// Records the end of the input.
    func endInput() {
        if case .begun(isClientsEnd: false) = drain { drain = .done } else { isAtEnd = true }
    }

    /// The events that the loop must wait for now.
    var neededInterest: Poller.Events {
        if hasUnsent { return .writable }
        if isInputDone { return [] }
        if isLingering { return .readable }
        return need == .input ? .readable : []
    }
}

/// The connections by slot; a slot is reused with another generation.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [UInt32] = []

    /// The number of connections.
    var count: Int { connections.count - freeSlots.count }

    /// All connections.
    var all: [Connection] { connections.compactMap(\.self) }

    /// Reserves a slot for a new connection.
    mutating func takeID() -> ConnectionID {
        if let slot = freeSlots.popLast() { return ConnectionID(slot: slot, generation: generations[Int(slot)]) }
        connections.append(nil)
        generations.append(0)
        return ConnectionID(slot: UInt32(connections.count - 1), generation: 0)
    }

    /// Stores a connection in its slot.
    mutating func add(_ connection: Connection) {
        connections[Int(connection.id.slot)] = connection
    }

    /// Frees a slot.
    mutating func remove(_ id: ConnectionID) {
        connections[Int(id.slot)] = nil
        // The highest bit is reserved for other members of the epoll set.
        generations[Int(id.slot)] = (generations[Int(id.slot)] &+ 1) & 0x7FFF_FFFF
        freeSlots.append(id.slot)
    }

    /// The connection with an ID, if it still exists.
    subscript(id: ConnectionID) -> Connection? {
        let slot = Int(id.slot)
        guard slot < connections.count, generations[slot] == id.generation else { return nil }
        return connections[slot]
    }
}
