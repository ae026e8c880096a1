import XCallbackBuiltIns
import XCallbackEventLoop

/// The deliveries that are on their way, and those that have ended last, each in a slot that its name tells.
///
/// A late response gets the right error as long as the slot was not used again; the one that ended first is, and only
/// once many others have ended since.
struct DeliveryTable {
    /// How far a delivery has come.
    enum State {
        /// Nobody has it yet.
        case waiting
        /// A client has it.
        case handed(Receiver)
        /// It has ended with the response of its receiver.
        case answered
        /// It has ended without one.
        case lost
    }

    /// A request on its way, or what is remembered of it.
    struct Entry {
        let id: Token
        var state = State.waiting
        /// Who waits for the response; nil once that is known.
        var session: ClientSession?
        /// What the configuration says of the request.
        var handler: DeliverHandler?
        /// Who may have it.
        var group: ReceiverGroup?
        let deadline: Duration
        /// What ends the wait for anybody who receives.
        var patience: DelayedCall?
        /// The user of the client to whom it went.
        var userID: UInt32?
    }

    /// How many that have ended are remembered.
    private static let endedLimit = 4096

    private var entries: [Entry] = []
    /// The slots of those that have ended, in that order, from ``oldest`` on.
    private var ended: [Int] = []
    private var oldest = 0

    /// The slots of those that are on their way.
    var slots: [Int] { entries.indices.filter { entries[$0].session != nil } }

    /// The delivery in a slot.
    subscript(slot: Int) -> Entry {
        get { entries[slot] }
        _modify { yield &entries[slot] }
    }

    /// Where the delivery with a name is; nil if it is not known.
    func slot(of id: Token) -> Int? {
        let slot = Int(id.slot)
        return slot < entries.count && entries[slot].id == id ? slot : nil
    }

    /// Begins a delivery.
    ///
    /// - Parameters:
    ///   - number: What its name is made of; nobody can guess it.
    ///   - session: Who waits for the response.
    ///   - handler: What the configuration says of the request.
    ///   - group: Who may have it.
    ///   - deadline: When its time is over.
    /// - Returns: Its slot.
    mutating func add(
        _ number: UInt128, for session: ClientSession, by handler: DeliverHandler, to group: ReceiverGroup,
        until deadline: Duration
    ) -> Int {
        let slot = takeSlot()
        let entry = Entry(
            id: Token(number, slot: UInt32(slot)), session: session, handler: handler, group: group, deadline: deadline)
        if slot < entries.count { entries[slot] = entry } else { entries.append(entry) }
        return slot
    }

    /// Ends a delivery, of which only the name and the end are kept.
    mutating func end(_ slot: Int, as state: State) {
        entries[slot].state = state
        entries[slot].session = nil
        entries[slot].handler = nil
        entries[slot].group = nil
        entries[slot].patience = nil
        ended.append(slot)
    }

    private mutating func takeSlot() -> Int {
        guard ended.count - oldest > Self.endedLimit else { return entries.count }
        let slot = ended[oldest]
        oldest += 1
        // What was taken is let go many at a time.
        if oldest >= Self.endedLimit {
            ended.removeFirst(oldest)
            oldest = 0
        }
        return slot
    }
}
