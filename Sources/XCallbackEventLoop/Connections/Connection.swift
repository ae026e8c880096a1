import XCallbackLinux

/// A connected descriptor, its session, and what is kept between two events.
final class Connection {
    /// How far the loop has come with taking what a client has sent, once nothing more is to come.
    enum Drain {
        /// The client may send more.
        case no
        /// What it has sent is still to be read, up to an end that is its own or not.
        case begun(isClientsEnd: Bool)
        /// Everything was read, up to an end that was not the client's: the last of it may be part of something.
        case done
    }

    /// What is left of the input, and of the output: empty most of the time.
    var unread: [UInt8] = []
    var unsent: [UInt8] = []
    /// How much of `unread` the session is done with.
    var consumedCount = 0
    /// How much of `unsent` the socket has taken.
    var sentCount = 0
    /// Whether the client has closed its sending half.
    var isAtEnd = false
    /// How far the loop is with taking what the client has sent, if nothing more is to come.
    var drain = Drain.no
    /// What the session needs to go on.
    var need = Progress.Need.input
    /// Whether the connection closes once the session needs input and the output is sent.
    var isClosing = false
    /// Whether the output is finished and input is thrown away, so that the client can still read its last line.
    var isLingering = false
    /// Whether something was read from it that its session has not worked on yet.
    var hasArrival = false
    /// Whether answers of it are kept for the end of the batch.
    var awaitsSending = false
    /// Whether it waits for its turn.
    var isReady = false
    /// The one whose turn comes after its own.
    var nextReady: Connection?
    /// What has happened on the descriptor since its last turn.
    var events: Poller.Events = []
    /// Whether its session can go on without an event of its own.
    var isAwake = false
    /// Whether the descriptor is in the epoll set yet.
    var isWatched = false
    /// What the loop waits for on the descriptor.
    var interest: Poller.Events = []
    /// When it was accepted, on the clock on which processes start, in nanoseconds.
    let acceptedTime = bootTime()
    /// When the client has to have sent its first byte, or to have closed a lingering connection.
    var silence: DeadlineHeap<EventLoop.Deadline>.ID?
    /// When the client has to have completed the message that it has begun.
    var message: DeadlineHeap<EventLoop.Deadline>.ID?
    /// How many bytes its account holds for it.
    var heldCount = 0

    /// Whether the session is a client of the service within this process, and not the service's.
    var isOwnClient = false

    /// Whether the client can pass descriptors.
    var takesDescriptors = false

    let id: ConnectionID
    /// The number of its descriptor, which is closed with it.
    let number: Int32
    private var descriptor: Descriptor?
    /// Whose turns its turns are.
    var account: Account
    var session: any Session

    init(_ id: ConnectionID, _ descriptor: consuming Descriptor, _ session: any Session) {
        self.id = id
        number = descriptor.number
        self.descriptor = consume descriptor
        self.session = session
        account = session.account
    }

    /// Takes the descriptor, for somebody else to close.
    func takeDescriptor() -> Descriptor? { descriptor.take() }

    /// Whether there is output that the socket has not taken yet.
    var hasUnsent: Bool { !unsent.isEmpty }

    /// Whether nothing is left to be done, and more may come.
    var isIdle: Bool {
        need == .input && interest == .readable && unread.isEmpty && unsent.isEmpty && heldCount == 0 && !isAwake
            && !isClosing && !isAtEnd && message == nil
    }

    /// Whether it is to be read once more before it closes.
    var isOwedRead: Bool {
        guard case .begun = drain else { return false }
        return need == .input && !isAtEnd && !hasUnsent
    }

    /// Whether nothing is left to be read.
    var isInputDone: Bool {
        if case .done = drain { return true }
        return isAtEnd
    }

    /// Whether the client has begun something and is to complete it; as long as it does not read, nothing more is received.
    var isAmidMessage: Bool { need == .input && !unread.isEmpty && !hasUnsent && !isClosing && !isAtEnd }

    /// Counts what is kept for it.
    ///
    /// - Throws: ``Excess`` if its account may not hold so much.
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

    /// Counts it with another account from now on.
    func move(to other: Account) {
        account.give(.bytes, heldCount)
        other.hold(.bytes, heldCount)
        account = other
    }

    /// Notes that there is no more input.
    func endInput() {
        if case .begun(isClientsEnd: false) = drain { drain = .done } else { isAtEnd = true }
    }

    /// What the loop has to wait for now.
    var neededInterest: Poller.Events {
        if hasUnsent { return .writable }
        if isInputDone { return [] }
        if isLingering { return .readable }
        return need == .input ? .readable : []
    }
}

/// The connections by slot; a slot is used again under another generation.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [UInt32] = []

    /// How many connections there are.
    var count: Int { connections.count - freeSlots.count }

    /// All connections.
    var all: [Connection] { connections.compactMap(\.self) }

    /// Takes a slot for a connection that is about to be added.
    mutating func takeID() -> ConnectionID {
        if let slot = freeSlots.popLast() { return ConnectionID(slot: slot, generation: generations[Int(slot)]) }
        connections.append(nil)
        generations.append(0)
        return ConnectionID(slot: UInt32(connections.count - 1), generation: 0)
    }

    /// Puts a connection into its slot.
    mutating func add(_ connection: Connection) {
        connections[Int(connection.id.slot)] = connection
    }

    /// Frees a slot.
    mutating func remove(_ id: ConnectionID) {
        connections[Int(id.slot)] = nil
        // The highest bit is left to the other members of the epoll set.
        generations[Int(id.slot)] = (generations[Int(id.slot)] &+ 1) & 0x7FFF_FFFF
        freeSlots.append(id.slot)
    }

    /// The connection with a name, if it still is there.
    subscript(id: ConnectionID) -> Connection? {
        let slot = Int(id.slot)
        guard slot < connections.count, generations[slot] == id.generation else { return nil }
        return connections[slot]
    }
}
