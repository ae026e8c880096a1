import XCallbackVarlink

/// A client that receives.
final class ReceivingClient {
    let stream: ReplyStream
    /// The group of its name.
    unowned let group: ReceiverGroup
    /// How many requests it takes at a time.
    let prefetch: Int
    /// By what its user retires it; nil if it cannot be.
    let key: String?
    /// When it began to receive.
    let start: Duration
    /// The deliveries that keep it busy.
    var places: Set<DeliveryTable.Place> = []
    /// What its call ends with once it has nothing to do; nil if it goes on.
    var ending: VarlinkError?

    init(_ stream: ReplyStream, of group: ReceiverGroup, prefetch: Int, key: String?, since start: Duration) {
        self.stream = stream
        self.group = group
        self.prefetch = prefetch
        self.key = key
        self.start = start
    }

    /// Whether it gets requests from the queue: also after its name is gone, as no other receiver can.
    var takesQueue: Bool {
        stream.ending == nil && (ending == nil || ending?.name == VarlinkError.unknownName("").name)
    }
}

/// The clients that receive as one name, and the deliveries that wait for one of them.
final class ReceiverGroup {
    let name: String
    var receivers: [ReceivingClient] = []
    /// The deliveries that wait.
    var queue = DeliveryQueue()
    /// Until when a program that was started may take to receive; nil if none was, or it does.
    var startDeadline: Duration?

    init(name: String) {
        self.name = name
    }

    /// Whether nothing would be lost without it.
    var isUnused: Bool { receivers.isEmpty && queue.isEmpty && startDeadline == nil }

    /// The receiver with the fewest requests of those that take one more.
    var freeReceiver: ReceivingClient? {
        var best: ReceivingClient?
        for receiver in receivers where receiver.places.count < receiver.prefetch && receiver.takesQueue {
            if receiver.places.isEmpty { return receiver }
            if receiver.places.count < best?.places.count ?? .max { best = receiver }
        }
        return best
    }
}
