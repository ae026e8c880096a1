import XCallbackLinux

/// A connected descriptor, its session, and the data kept between two events.
///
/// A state machine: in its turn, a connection is read once, and the session processes the lines; then the connection is
/// `answered` until its answer is sent with those of others. ``Outbox`` sets `answered`, the end of a connection `closed`, and
/// ``EventLoop/updateState(of:)`` every other state.
final class Connection {
    /// What a connection does next.
    enum State {
        /// It waits for input.
        case reading
        /// The session continues with `unread` in the connection's next turn, and nothing is read. The epoll set still has the
        /// old events, which are ignored unless the client is gone.
        case queued
        /// The session waits for an event, and nothing is read: the end of the input is not noticed, but a closed socket is.
        case waiting
        /// Its output is kept, and is sent with that of others before the loop looks for other events.
        case answered
        /// The socket does not accept the rest of the output yet, and nothing is read. This has no time limit.
        case sending
        /// The output is complete; input is discarded, so that the client can still read its last line.
        case lingering
        /// It is closed.
        case closed

        /// The states that can follow; debug builds check each change.
        ///
        /// `Docs/Internals/Architecture.md` has a diagram with the reasons.
        var next: [State] {
            switch self {
            case .reading, .queued, .waiting: [.reading, .queued, .waiting, .answered, .lingering, .closed]
            case .answered: [.answered, .reading, .queued, .waiting, .sending, .lingering, .closed]
            case .sending: [.sending, .reading, .queued, .waiting, .lingering, .closed]
            case .lingering: [.lingering, .closed]
            case .closed: [.closed]
            }
        }
    }

    /// How far the input has come.
    enum Input {
        /// The client has not sent anything yet.
        case silent
        /// The client may send more.
        case open
        /// The client has not sent anything yet; after its first data, the input ends.
        case closing
        /// The input is shut down here, and the rest must still be read. Its last message may be incomplete.
        case draining
        /// The same, after the client has ended the input itself: then its last message is complete.
        case completing
        /// All input was read up to a shutdown here.
        case cut
        /// All input was read up to the client's end.
        case ended
    }

    var state = State.reading {
        didSet { assert(oldValue.next.contains(state), "\(oldValue) does not lead to \(state)") }
    }
    var input: Input
    /// What the session needs to continue.
    var need = Progress.Need.input
    /// The input that the session has not consumed, and the output that the socket has not accepted; empty most of the time.
    @exclusivity(unchecked) var unread = PendingBytes()
    @exclusivity(unchecked) var unsent = PendingBytes()
    /// The number of bytes that count toward its account.
    private(set) var heldCount = 0

    var turn = ConnectionTurn()
    /// The events that the loop waits for; nil if the descriptor is not in the epoll set.
    var interest: Poller.Events?
    /// The deadline for the client's first byte, for completing a message that has started, or for closing a lingering connection.
    @exclusivity(unchecked) var deadline: Deadlines.ID?

    let id: ConnectionID
    /// Closed with the connection.
    private var descriptor: Descriptor?
    var remote: Remote
    /// The account whose turns the connection uses.
    private(set) var account: Account
    var session: any Session

    /// The other end of a connection.
    struct Remote {
        /// Whether it is a server: the session is the client.
        var isServer = false
        /// Whether it can pass descriptors.
        var passesDescriptors = false
        /// When the connection was accepted, in nanoseconds of the boot-time clock, which process start times use.
        let acceptedTime = bootTime()
        /// Its supplementary groups, once they were needed.
        var groups: [UInt32]?
    }

    init(_ id: ConnectionID, _ descriptor: consuming Descriptor, to remote: Remote, _ session: any Session) {
        self.id = id
        self.descriptor = consume descriptor
        self.remote = remote
        self.session = session
        input = remote.isServer ? .open : .silent
        account = session.account
    }

    /// The number of the descriptor.
    var number: Int32 { descriptor?.number ?? -1 }

    /// Takes the descriptor, so that it can be closed elsewhere.
    func takeDescriptor() -> Descriptor? { descriptor.take() }

    /// Whether the socket has not accepted all output yet.
    var hasUnsent: Bool { !unsent.isEmpty }

    /// Whether the client has not sent anything yet.
    var isSilent: Bool { input == .silent || input == .closing }

    /// Whether all input was read.
    private var isInputDone: Bool { input == .cut || input == .ended }

    /// The state that follows from what the session needs, once its answer is sent.
    var nextState: State {
        if hasUnsent { return .sending }
        switch need {
        case .input: return isInputDone ? .closed : .reading
        case .turn: return .queued
        case .event: return .waiting
        case .close: return input == .open || input == .silent ? .lingering : .closed
        }
    }

    /// Whether the rest of the input must be read in further turns, without an event.
    var mustReadAgain: Bool { state == .reading && (input == .draining || input == .completing) }

    /// Whether the client must complete a message; while it does not read, nothing more is received.
    var isAmidMessage: Bool { state == .reading && !unread.isEmpty && input == .open }

    /// Counts the kept bytes toward its account.
    ///
    /// - Throws: ``Excess`` if the limit of the account is exceeded.
    func countBytes() throws(Excess) {
        let count = unread.bytes.count + unsent.bytes.count
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

    /// The events that the loop must wait for now; the kernel reports a closed socket in any case.
    var neededInterest: Poller.Events {
        if hasUnsent { return .writable }
        return !isInputDone && (state == .lingering || need == .input) ? .readable : []
    }
}

/// Bytes of which the first ones are done.
struct PendingBytes {
    private(set) var bytes: [UInt8] = []
    private var doneCount = 0

    init() {}

    /// Keeps the bytes of a span.
    init(_ span: Span<UInt8>) {
        bytes = span.withUnsafeBufferPointer { Array($0) }
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// The bytes that are not done.
    var rest: Range<Int> { doneCount..<bytes.count }

    /// Adds bytes, and removes those that are done.
    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.removeFirst(doneCount)
        doneCount = 0
        bytes.append(contentsOf: more)
    }

    /// Marks bytes as done; removes all bytes if none is left.
    mutating func finish(_ count: Int) {
        doneCount += count
        if doneCount == bytes.count { self = PendingBytes() }
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
