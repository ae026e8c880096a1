package import XCallbackURL

/// Who brings what is published to all who subscribe to it.
package protocol Publisher: Sendable {
    /// Publishes items to a topic.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - topic: The topic.
    /// - Returns: How many subscribers it reaches.
    func publish(_ items: QueryItems, to topic: String) -> Int
}
