/// A handler that has clients respond to its requests, those that receive under a name.
///
/// The daemon hands the requests over, without a task for each.
package protocol DeliveringHandler: Sendable {
    /// The name under which clients receive.
    var name: String { get }
    /// How long a request waits for a client that receives, while there is none; nil if it does not wait.
    var wait: Duration? { get }
    /// What starts a program that receives, while no client does; nil if nothing does.
    var activation: (any ReceiverActivation)? { get }

    /// Writes the message that brings a request to its receiver: an object in JSON.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The name of the delivery, which the response must repeat.
    ///   - limit: How long the receiver may take.
    ///   - bytes: Where it is appended.
    func write(messageOf request: Request, id: Span<UInt8>, limit: Duration, to bytes: inout [UInt8])
}

/// What starts a program that is expected to receive under a name.
package protocol ReceiverActivation: Sendable {
    /// Starts the program; the caller runs on the event loop.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - request: The request that needs it.
    ///   - socket: The socket of the daemon.
    /// - Throws: Any error if it cannot be started.
    func start(toReceiveAs name: String, for request: Request, at socket: String) async throws
}

/// A handler that publishes its requests to a topic.
package protocol PublishingHandler: Handler {
    /// The topic.
    var topic: String { get }
}
