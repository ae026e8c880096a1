import XCallbackEventLoop

/// The deliveries that wait for a receiver: accounts take turns, and those of one account come in their order.
struct DeliveryQueue {
    /// The accounts of what waits, the one whose turn is next first.
    private var accounts: [AccountName] = []
    private var places: [AccountName: [DeliveryTable.Place]] = [:]

    var isEmpty: Bool { accounts.isEmpty }
    /// All of it, in the order of the turns.
    var all: [DeliveryTable.Place] { accounts.flatMap { places[$0] ?? [] } }

    /// Adds a delivery behind those of its account.
    mutating func add(_ place: DeliveryTable.Place, of account: AccountName) {
        if places[account] == nil { accounts.append(account) }
        places[account, default: []].append(place)
    }

    /// Takes the oldest delivery of the account whose turn it is; nil if none waits.
    mutating func takeNext() -> DeliveryTable.Place? {
        guard let account = accounts.first, let place = places[account]?.removeFirst() else { return nil }
        accounts.removeFirst()
        if places[account]?.isEmpty == true { places[account] = nil } else { accounts.append(account) }
        return place
    }

    /// Removes a delivery that does not wait any more.
    mutating func remove(_ place: DeliveryTable.Place) {
        for (index, account) in accounts.enumerated() {
            guard let position = places[account]?.firstIndex(of: place) else { continue }
            places[account]?.remove(at: position)
            if places[account]?.isEmpty == true {
                places[account] = nil
                accounts.remove(at: index)
            }
            return
        }
    }
}
