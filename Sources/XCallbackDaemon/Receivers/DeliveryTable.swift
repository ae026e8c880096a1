import XCallbackEventLoop
import XCallbackPipeline

/// The deliveries in progress and the last ones that ended, each in a slot that its name contains.
///
/// A delivery keeps its slot until many others have ended after it. If a response arrives even later, its name still
/// proves that the daemon created the name for this user.
struct DeliveryTable {
    /// Identifies a delivery for as long as the daemon runs.
    struct Place: Hashable {
        let slot: Int
        fileprivate let number: UInt64
    }

    /// The number of ended deliveries that keep their slots.
    private static let endedLimit = 4096

    /// The key for the checks in names.
    private let secret = randomNumber()
    private var deliveries: [(number: UInt64, delivery: Delivery)] = []
    /// The slots of ended deliveries in order, starting at ``oldest``.
    private var ended: [Int] = []
    private var oldest = 0
    private var lastNumber: UInt64 = 0

    /// The places of deliveries in progress.
    var places: [Place] {
        deliveries.indices.compactMap { slot in
            switch deliveries[slot].delivery.state {
            case .offered, .taken, .abandoned: Place(slot: slot, number: deliveries[slot].number)
            case .answered, .ended: nil
            }
        }
    }

    /// The delivery at a place; its slot must not have been reused.
    subscript(place: Place) -> Delivery {
        get { deliveries[place.slot].delivery }
        _modify { yield &deliveries[place.slot].delivery }
    }

    /// Whether the slot of a place has not been reused.
    func contains(_ place: Place) -> Bool { deliveries[place.slot].number == place.number }

    /// Adds a delivery.
    mutating func add(_ delivery: Delivery) -> Place {
        lastNumber += 1
        let slot = takeSlot()
        if slot < deliveries.count {
            deliveries[slot] = (lastNumber, delivery)
        } else {
            deliveries.append((lastNumber, delivery))
        }
        return Place(slot: slot, number: lastNumber)
    }

    /// Allows the slot of an ended delivery to be reused later.
    mutating func end(_ place: Place) { ended.append(place.slot) }

    private mutating func takeSlot() -> Int {
        guard ended.count - oldest > Self.endedLimit else { return deliveries.count }
        let slot = ended[oldest]
        oldest += 1
        if oldest >= Self.endedLimit {
            ended.removeFirst(oldest)
            oldest = 0
        }
        return slot
    }
}

// MARK: - Names

extension DeliveryTable {
    /// Creates the name of a delivery for the receiver's user; it cannot be guessed.
    func makeName(of place: Place, for userID: UInt32) -> Token {
        let random = UInt64(truncatingIfNeeded: randomNumber())
        return Token(random, check: check(random, place.slot, userID), slot: UInt32(place.slot))
    }

    /// Finds a delivery by its name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - userID: The user who sent the name.
    /// - Returns: The place; nil if the slot has been reused.
    /// - Throws: ``ResponseFault/unknown`` if no receiver of this user had the delivery.
    func place(of name: Token, for userID: UInt32) throws(ResponseFault) -> Place? {
        let slot = Int(name.slot)
        if slot < deliveries.count, let known = deliveries[slot].delivery.name, known.id == name {
            guard known.userID == userID else { throw .unknown }
            return Place(slot: slot, number: deliveries[slot].number)
        }
        guard name.check == check(name.random, slot, userID) else { throw .unknown }
        return nil
    }

    private func check(_ random: UInt64, _ slot: Int, _ userID: UInt32) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(secret)
        hasher.combine(random)
        hasher.combine(slot)
        hasher.combine(userID)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
