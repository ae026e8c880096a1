import XCallbackEventLoop
import XCallbackPipeline

/// The deliveries that are on their way, and those that have ended last, each in a slot that its name tells.
///
/// A late response gets the right error as long as the slot was not used again; the one that ended first is, and only
/// once many others have ended since.
struct DeliveryTable {
    /// How many that have ended are remembered.
    private static let endedLimit = 4096

    private var deliveries: [Delivery] = []
    /// The slots of those that have ended, in that order, from ``oldest`` on.
    private var ended: [Int] = []
    private var oldest = 0

    /// The slots of those that are on their way.
    var slots: [Int] { deliveries.indices.filter { deliveries[$0].session != nil } }

    /// The delivery in a slot.
    subscript(slot: Int) -> Delivery {
        get { deliveries[slot] }
        _modify { yield &deliveries[slot] }
    }

    /// Where the delivery with a name is; nil if it is not known.
    func slot(of id: Token) -> Int? {
        let slot = Int(id.slot)
        return slot < deliveries.count && deliveries[slot].id == id ? slot : nil
    }

    /// Begins a delivery.
    ///
    /// - Parameters:
    ///   - number: What its name is made of; nobody can guess it.
    ///   - held: The request.
    ///   - session: Who waits for the response.
    ///   - handler: What the configuration says of the request.
    ///   - group: Who may have it.
    ///   - deadline: When its time is over.
    /// - Returns: Its slot.
    mutating func add(
        _ number: UInt128, _ held: HeldWalk, for session: ClientSession, by handler: any DeliveringHandler,
        to group: ReceiverGroup, until deadline: Duration
    ) -> Int {
        let slot = takeSlot()
        let delivery = Delivery(
            id: Token(number, slot: UInt32(slot)), session: session, held: held, handler: handler, group: group,
            deadline: deadline)
        if slot < deliveries.count { deliveries[slot] = delivery } else { deliveries.append(delivery) }
        return slot
    }

    /// Ends a delivery, of which only the name and the end are kept.
    mutating func end(_ slot: Int, as state: Delivery.State) {
        deliveries[slot].state = state
        deliveries[slot].session = nil
        deliveries[slot].held = nil
        deliveries[slot].handler = nil
        deliveries[slot].group = nil
        deliveries[slot].patience = nil
        ended.append(slot)
    }

    private mutating func takeSlot() -> Int {
        guard ended.count - oldest > Self.endedLimit else { return deliveries.count }
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
