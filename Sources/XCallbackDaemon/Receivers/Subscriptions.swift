import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL
import XCallbackWire

/// The clients that subscribe to topics; lives on the event loop.
final class Subscriptions {
    private var subscribers: [String: [ConnectionID: ReplyStream]] = [:]
    private var topics: [ConnectionID: Set<String>] = [:]

    /// The number of subscribed clients.
    var count: Int { topics.count }

    /// Adds a subscription.
    func add(_ stream: ReplyStream, to topics: Set<String>) {
        self.topics[stream.connection] = topics
        for topic in topics { subscribers[topic, default: [:]][stream.connection] = stream }
    }

    /// Removes the subscription of a connection, if any.
    func remove(_ connection: ConnectionID) {
        for topic in topics.removeValue(forKey: connection) ?? [] {
            subscribers[topic]?[connection] = nil
            if subscribers[topic]?.isEmpty == true { subscribers[topic] = nil }
        }
    }

    /// Publishes items; all subscribers share the same bytes.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - topic: The topic.
    ///   - account: The account that publishes.
    ///   - loop: The loop of the caller.
    /// - Returns: The number of subscribers.
    /// - Throws: ``Excess`` if the account has too many events waiting to be sent.
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

    /// Returns the reply to `Subscribe` that reports the number of lost events.
    static func gap(_ count: Int) -> JSONValue {
        ["event": ["topic": .null, "items": .null, "missed": .whole(count)]]
    }

    /// The subscribed clients with their topics.
    var all: [(stream: ReplyStream, topics: Set<String>)] {
        topics.compactMap { connection, topics in
            guard let topic = topics.first, let stream = subscribers[topic]?[connection] else { return nil }
            return (stream, topics)
        }
    }
}

extension Subscriptions {
    /// Returns the function that publishes the events of handlers; it is called on the loop only.
    func publisher(on loop: EventLoop) -> @Sendable (Request, String) -> Result<Int, CallbackError> {
        // Lives on the loop.
        nonisolated(unsafe) let subscriptions = self
        return { request, topic in
            let result = loop.assumeIsolated { loop in
                Result { () throws(Excess) in
                    let account = loop.account(of: request.peer.userID, request.receivedOrigin.accountClass)
                    return try subscriptions.publish(request.parameters, to: topic, for: account, on: loop)
                }
            }
            return result.mapError { CallbackError(.tooMany, $0.description) }
        }
    }
}
