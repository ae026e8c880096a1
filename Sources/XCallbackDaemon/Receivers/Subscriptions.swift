import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The clients that subscribe to topics; lives on the event loop.
final class Subscriptions {
    private(set) var all: [ConnectionID: (stream: ReplyStream, topics: Set<String>)] = [:]

    /// Adds a subscription.
    func add(_ stream: ReplyStream, to topics: Set<String>) {
        all[stream.connection] = (stream, topics)
    }

    /// Removes the subscription of a connection, if any.
    func remove(_ connection: ConnectionID) {
        all[connection] = nil
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
        let streams = all.values.filter { $0.topics.contains(topic) }.map(\.stream)
        if streams.isEmpty { return 0 }
        let event: JSONValue = ["event": ["topic": .string(topic), "items": items.json, "missed": .null]]
        try FanOut.hand(event.bytes, to: streams, for: account, on: loop)
        return streams.count
    }

    /// Returns the reply to `Subscribe` that reports the number of lost events.
    static func gap(_ count: Int) -> JSONValue {
        ["event": ["topic": .null, "items": .null, "missed": .whole(count)]]
    }
}
