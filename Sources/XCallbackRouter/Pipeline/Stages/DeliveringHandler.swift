/// A handler whose requests are answered by clients that receive under a name.
///
/// The daemon delivers the requests, without a task for each.
package protocol DeliveringHandler: Stage {
    /// The name under which clients receive.
    var name: String { get }
    /// The time that a request waits for a receiving client if there is none; nil if it does not wait.
    var wait: Duration? { get }
    /// Whether it can start a program that receives, if no client does.
    var startsReceiver: Bool { get }

    /// Starts the program; the caller runs on the event loop.
    ///
    /// - Parameters:
    ///   - request: The request that needs the receiver.
    ///   - socket: The socket of the daemon.
    ///   - host: What the stage may ask.
    /// - Throws: Any error if the program cannot be started.
    func startReceiver(for request: Request, at socket: String, _ host: any StageHost) async throws

    /// Writes the message that delivers a request to its receiver: a JSON object.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The name of the delivery, which the response must repeat.
    ///   - limit: The time limit of the receiver.
    ///   - isNested: Whether the receiver's own process has made the request.
    ///   - bytes: The buffer to append to.
    func write(
        messageOf request: Request, id: Span<UInt8>, limit: Duration, isNested: Bool, to bytes: inout [UInt8])
}
