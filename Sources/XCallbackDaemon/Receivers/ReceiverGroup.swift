import XCallbackWire

/// A receiver: a client to which requests are delivered.
final class ReceivingClient {
    let stream: ReplyStream
    /// The group of its name.
    unowned let group: ReceiverGroup
    /// The maximum number of requests that it handles at a time.
    let prefetch: Int
    /// The key with which its user can retire it; nil if it cannot be retired.
    let key: String?
    /// When it began to receive.
    let start: Duration
    /// The deliveries that the receiver is handling.
    var deliveries: [Delivery] = []
    /// The error that ends its call once it is idle; nil if the call continues.
    var ending: VarlinkError?

    init(_ stream: ReplyStream, of group: ReceiverGroup, prefetch: Int, key: String?, since start: Duration) {
        self.stream = stream
        self.group = group
        self.prefetch = prefetch
        self.key = key
        self.start = start
    }

    /// Whether it gets requests from the queue: even after its name is removed, because no other receiver can.
    var takesQueue: Bool {
        stream.ending == nil && (ending == nil || ending?.name == VarlinkError.unknownName("").name)
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

    /// The least busy receiver that accepts another request.
    var freeReceiver: ReceivingClient? {
        var best: ReceivingClient?
        for receiver in receivers where receiver.deliveries.count < receiver.prefetch && receiver.takesQueue {
            if receiver.deliveries.isEmpty { return receiver }
            if receiver.deliveries.count < best?.deliveries.count ?? .max { best = receiver }
        }
        return best
    }
}
