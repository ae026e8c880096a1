import XCallbackEventLoop

/// The deliveries that wait for a receiver: users take turns, and those of one user come in their order.
struct DeliveryQueue {
    /// The owners of what waits, the one whose turn is next first.
    private var owners: [Owner] = []
    private var places: [Owner: [DeliveryTable.Place]] = [:]

    var isEmpty: Bool { owners.isEmpty }
    /// All of it, in the order of the turns.
    var all: [DeliveryTable.Place] { owners.flatMap { places[$0] ?? [] } }

    /// Adds a delivery behind those of its owner.
    mutating func add(_ place: DeliveryTable.Place, of owner: Owner) {
        if places[owner] == nil { owners.append(owner) }
        places[owner, default: []].append(place)
    }

    /// Takes the oldest delivery of the owner whose turn it is; nil if none waits.
    mutating func takeNext() -> DeliveryTable.Place? {
        guard let owner = owners.first, let place = places[owner]?.removeFirst() else { return nil }
        owners.removeFirst()
        if places[owner]?.isEmpty == true { places[owner] = nil } else { owners.append(owner) }
        return place
    }

    /// Removes a delivery that does not wait any more.
    mutating func remove(_ place: DeliveryTable.Place) {
        for (index, owner) in owners.enumerated() {
            guard let position = places[owner]?.firstIndex(of: place) else { continue }
            places[owner]?.remove(at: position)
            if places[owner]?.isEmpty == true {
                places[owner] = nil
                owners.remove(at: index)
            }
            return
        }
    }
}
