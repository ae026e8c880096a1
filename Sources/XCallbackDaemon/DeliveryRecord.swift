/// What has become of deliveries that have ended, so that a late response gets the right error.
///
/// It remembers the last ones only; one that is older is unknown.
struct DeliveryRecord {
    /// How a delivery has ended.
    enum Ending {
        /// With the response of its receiver.
        case answered
        /// Without one.
        case lost
    }

    private static let limit = 4096

    private var endings: [Token: (ending: Ending, userID: UInt32)] = [:]
    /// The names in the order in which they ended, as a ring.
    private var order: [Token] = []
    private var oldest = 0

    /// Notes the end of a delivery to a user.
    mutating func note(_ ending: Ending, of id: Token, to userID: UInt32) {
        if order.count < Self.limit {
            order.append(id)
        } else {
            endings[order[oldest]] = nil
            order[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        endings[id] = (ending, userID)
    }

    /// How a delivery to a user has ended; nil if it is not known, or went to another one.
    func ending(of id: Token, to userID: UInt32) -> Ending? {
        guard let entry = endings[id], entry.userID == userID else { return nil }
        return entry.ending
    }
}
