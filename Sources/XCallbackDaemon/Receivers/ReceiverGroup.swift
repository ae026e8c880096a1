/// A client that receives.
final class ReceivingClient {
    let stream: ReplyStream
    /// How many requests it takes at a time.
    let prefetch: Int
    /// How many requests it has not responded to.
    var currentCount = 0

    init(_ stream: ReplyStream, prefetch: Int) {
        self.stream = stream
        self.prefetch = prefetch
    }
}

/// The clients that receive as one name, and the deliveries that wait for one of them.
final class ReceiverGroup {
    let name: String
    var receivers: [ReceivingClient] = []
    /// The slots of the deliveries that wait, the oldest first.
    var queue: [Int] = []
    /// Until when a program that was started may take to receive; nil if none was, or it does.
    var startDeadline: Duration?

    init(name: String) {
        self.name = name
    }

    /// Whether nothing would be lost without it.
    var isUnused: Bool { receivers.isEmpty && queue.isEmpty && startDeadline == nil }

    /// Who has the fewest requests of those that take one more.
    var freeReceiver: ReceivingClient? {
        var best: ReceivingClient?
        for receiver in receivers where receiver.currentCount < receiver.prefetch {
            if receiver.currentCount == 0 { return receiver }
            if receiver.currentCount < best?.currentCount ?? .max { best = receiver }
        }
        return best
    }
}
