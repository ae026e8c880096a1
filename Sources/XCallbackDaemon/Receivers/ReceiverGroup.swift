import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A receiver: a client to which requests are delivered.
final class ReceivingClient {
    let stream: ReplyStream
    /// The group of its name.
    unowned let group: ReceiverGroup
    /// The maximum number of requests that it handles at a time.
    let prefetch: Int
    /// Whether it gets the requests of its own process beyond that.
    let takesNested: Bool
    /// The key with which its user can retire it; nil if it cannot be retired.
    let key: String?
    /// The values that a request must have.
    let conditions: QueryItems
    /// When it began to receive.
    let start: Duration
    /// The deliveries that the receiver is handling.
    var deliveries: [Delivery] = []
    /// The error that ends its call once it is idle; nil if the call continues.
    var ending: VarlinkError?

    init(
        _ stream: ReplyStream, of group: ReceiverGroup, prefetch: Int, takesNested: Bool, key: String?,
        where conditions: QueryItems, since start: Duration
    ) {
        self.stream = stream
        self.group = group
        self.prefetch = prefetch
        self.takesNested = takesNested
        self.key = key
        self.conditions = conditions
        self.start = start
    }

    /// Whether it gets requests from the queue: even after its name is removed, because no other receiver can.
    var takesQueue: Bool {
        stream.ending == nil && (ending == nil || ending?.name == VarlinkError.unknownName("").name)
    }

    /// Whether it accepts another request.
    var isFree: Bool { deliveries.count < prefetch && takesQueue }

    /// Whether its process has sent a request.
    func hasSent(_ delivery: Delivery) -> Bool {
        guard let peer = delivery.held?.execution.request.peer, peer.processID != 0 else { return false }
        return peer.processID == stream.peer.processID && peer.userID == stream.peer.userID
    }

    /// Whether it wants only some of the requests.
    var isPicky: Bool { !conditions.isEmpty }

    /// Whether a request has the values that the receiver wants: as parameters, or in the fragment.
    func wants(_ delivery: Delivery) -> Bool {
        if conditions.isEmpty { return true }
        guard let request = delivery.held?.execution.request else { return false }
        let fragment = request.text(of: .fragment).flatMap { try? ActionURL("fragment:?\($0)") }?.items
        return conditions.allSatisfy { request.parameters.contains($0) || fragment?.contains($0) == true }
    }
}

/// The receivers with the same name, and the deliveries that wait for one of them.
final class ReceiverGroup {
    let name: String
    var receivers: [ReceivingClient] = []
    /// The waiting deliveries.
    var queue = DeliveryQueue()
    /// The deadline for a started program to receive; nil if none was started, or if it receives.
    var startDeadline: Duration?

    init(name: String) {
        self.name = name
    }

    /// Whether the group has no state worth keeping.
    var isUnused: Bool { receivers.isEmpty && queue.isEmpty && startDeadline == nil }

    /// Whether a receiver accepts another request.
    var hasFreeReceiver: Bool { receivers.contains(where: \.isFree) }

    /// Whether a receiver wants a request, now or later.
    func hasReceiver(of delivery: Delivery) -> Bool { receivers.contains { $0.wants(delivery) } }

    /// Returns the least busy receiver that accepts and wants a request; one that wants no others comes first.
    ///
    /// A busy receiver that takes nested requests gets those of its own process, too: what it works on may wait for them.
    func freeReceiver(of delivery: Delivery) -> ReceivingClient? {
        var best: ReceivingClient?
        for receiver in receivers where receiver.isFree && receiver.wants(delivery) {
            if receiver.isPicky { return receiver }
            if receiver.deliveries.count < best?.deliveries.count ?? .max { best = receiver }
        }
        return best
            ?? receivers.first { $0.takesNested && $0.takesQueue && $0.hasSent(delivery) && $0.wants(delivery) }
    }
}
