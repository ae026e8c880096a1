package import XCallbackURL

/// Delivers published requests to all subscribers.
package protocol Publisher: Sendable {
    /// Publishes the parameters of a request to a topic.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - topic: The topic.
    /// - Returns: The number of subscribers that it reaches.
    /// - Throws: ``CallbackError`` if too many deliveries are pending.
    func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int
}
