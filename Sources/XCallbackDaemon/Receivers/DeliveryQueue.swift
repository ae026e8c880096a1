import XCallbackEventLoop

/// The deliveries that wait for a receiver: accounts take turns; each account's deliveries stay in order.
struct DeliveryQueue {
    /// The accounts with waiting deliveries; the first has the next turn.
    private var accounts: [AccountName] = []
    private var places: [AccountName: [DeliveryTable.Place]] = [:]

    var isEmpty: Bool { accounts.isEmpty }
    /// All waiting deliveries, in the order of the turns.
    var all: [DeliveryTable.Place] { accounts.flatMap { places[$0] ?? [] } }

    /// Adds a delivery after those of its account.
    mutating func add(_ place: DeliveryTable.Place, of account: AccountName) {
        if places[account] == nil { accounts.append(account) }
        places[account, default: []].append(place)
    }

    /// Removes and returns the oldest suitable delivery of the account whose turn is next; nil if none waits.
    mutating func takeNext(where isSuitable: (DeliveryTable.Place) -> Bool) -> DeliveryTable.Place? {
        for (index, account) in accounts.enumerated() {
            guard let position = places[account]?.firstIndex(where: isSuitable),
                let place = places[account]?.remove(at: position)
            else { continue }
            accounts.remove(at: index)
            if places[account]?.isEmpty == true { places[account] = nil } else { accounts.append(account) }
            return place
        }
        return nil
    }

    /// Removes a delivery that no longer waits.
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
