import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// The clients that subscribe to topics; it lives on the event loop.
final class Subscriptions {
    private var subscribers: [String: [ConnectionID: ReplyStream]] = [:]
    private var topics: [ConnectionID: Set<String>] = [:]

    /// How many clients subscribe to something.
    var count: Int { topics.count }

    /// Lets a client subscribe.
    func add(_ stream: ReplyStream, to topics: Set<String>) {
        self.topics[stream.connection] = topics
        for topic in topics { subscribers[topic, default: [:]][stream.connection] = stream }
    }

    /// Ends what a client subscribes to, if it does.
    func remove(_ connection: ConnectionID) {
        for topic in topics.removeValue(forKey: connection) ?? [] {
            subscribers[topic]?[connection] = nil
            if subscribers[topic]?.isEmpty == true { subscribers[topic] = nil }
        }
    }

    /// Publishes items; all subscribers share the bytes.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - topic: The topic.
    ///   - account: Who publishes.
    ///   - loop: The loop that calls.
    /// - Returns: How many subscribers there are.
    /// - Throws: ``Excess`` if too much of the account's is still to be handed out.
    func publish(
        _ items: borrowing QueryItems, to topic: String, for account: Account, on loop: isolated EventLoop
    ) throws(Excess) -> Int {
        guard let streams = subscribers[topic] else { return 0 }
        var event: [UInt8] = []
        event.append("{\"event\":{\"topic\":")
        event.append(json: topic)
        event.append(",\"items\":")
        event.append(items: items)
        event.append(",\"missed\":null}}")
        try FanOut.hand(event, to: Array(streams.values), for: account, on: loop)
        return streams.count
    }

    /// The reply to `Subscribe` that tells how many events were lost.
    static func gap(_ count: Int) -> JSONValue {
        ["event": ["topic": .null, "items": .null, "missed": .whole(count)]]
    }

    /// Each client that subscribes, with its topics.
    var all: [(stream: ReplyStream, topics: Set<String>)] {
        topics.compactMap { connection, topics in
            guard let topic = topics.first, let stream = subscribers[topic]?[connection] else { return nil }
            return (stream, topics)
        }
    }
}

/// Brings what handlers publish to the subscribers of the daemon; it is asked on the loop only.
struct LoopPublisher: Publisher {
    let loop: EventLoop

    func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int {
        let result = loop.assumeIsolated { loop in
            Result { () throws(Excess) in
                guard let subscriptions: Subscriptions = loop.existingResident() else { return 0 }
                let account = loop.account(of: request.peer.userID, request.receivedOrigin.accountClass)
                return try subscriptions.publish(request.parameters, to: topic, for: account, on: loop)
            }
        }
        return try result.mapError { CallbackError(.tooMany, $0.description) }.get()
    }
}
