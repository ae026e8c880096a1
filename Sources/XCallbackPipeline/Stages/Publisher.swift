package import XCallbackURL

/// Who brings what is published to all who subscribe to it.
package protocol Publisher: Sendable {
    /// Publishes the parameters of a request to a topic.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - topic: The topic.
    /// - Returns: How many subscribers it reaches.
    /// - Throws: ``CallbackError`` if too much is still to be handed out.
    func publish(_ request: Request, to topic: String) throws(CallbackError) -> Int
}
