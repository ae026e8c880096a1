import CLinux
package import XCallbackLinux
package import XCallbackWire

/// The process at the other end of a connection, as the kernel recorded it when it connected.
package struct Credentials: Hashable, Sendable {
    /// The user ID.
    package let userID: UInt32
    /// The primary group ID.
    package let groupID: UInt32
    /// The process ID; 0 if its PID namespace is not visible from here.
    package let processID: Int32

    init(_ peer: xcb_peer) {
        (userID, groupID, processID) = (peer.uid, peer.gid, peer.pid)
    }
}

/// Identifies a connection for its lifetime; never reused.
package struct ConnectionID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

extension ConnectionID {
    /// Creates the ID with a raw value.
    package init(rawValue: UInt64) {
        self.init(slot: UInt32(truncatingIfNeeded: rawValue), generation: UInt32(truncatingIfNeeded: rawValue >> 32))
    }

    /// The ID as a single number.
    package var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// The progress of a session with the received data.
package struct Progress: Sendable {
    /// What a session needs to continue.
    package enum Need: Sendable {
        /// More input; without more, the connection is closed once its output is sent.
        case input
        /// Another turn once its output is sent; there is input left to process.
        case turn
        /// A call of ``EventLoop/wake(_:)``; until then nothing is read.
        case event
        /// Nothing: the connection must be closed once its output is sent.
        case close
    }

    /// The number of bytes of the input that are consumed.
    package let consumed: Int
    /// What the session needs next.
    package let need: Need

    /// Creates the progress.
    package init(consumed: Int, need: Need) {
        self.consumed = consumed
        self.need = need
    }
}

/// The conversation with a client over a connection; all calls are made on the loop.
package protocol Session: AnyObject {
    /// The account toward which the connection counts at first.
    var account: Account { get }

    /// Processes received data, and writes the data to send.
    ///
    /// - Parameters:
    ///   - input: All data that was received and not consumed yet.
    ///   - isAtEnd: Whether no more data will follow.
    ///   - output: The buffer for the bytes to send.
    ///   - loop: The loop of the caller.
    /// - Returns: The progress.
    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress

    /// Handles the end of the connection because of its client's input, or because the client does not read.
    ///
    /// - Returns: The last message to the client.
    func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8]

    /// Handles the end of the connection; no call follows.
    func closed(on loop: isolated EventLoop)
}

/// The reason why a connection ends.
package enum InputFault: Sendable {
    /// The pending bytes exceed the limit of the account.
    case excess(Excess)
    /// A message was not completed within a time limit.
    case unfinished(Duration)
    /// The client has passed descriptors.
    case descriptors
}

extension Session {
    /// Sends nothing.
    package func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8] { [] }
}

/// The service of an event loop: which clients may connect, and how signals are handled.
package protocol LoopService: AnyObject {
    /// Creates the session of a new connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - credentials: The process at the other end.
    ///   - kind: The class of account toward which the connection counts at first, given by its socket.
    ///   - loop: The loop of the caller.
    /// - Returns: The session, or nil to close the connection at once.
    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)?

    /// Handles a signal.
    func receive(signal: Int32, on loop: isolated EventLoop)

    /// Called after all input of a batch of events is processed.
    func batchEnded(on loop: isolated EventLoop)

    /// Called when no connection can be accepted for now because the system is out of resources.
    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop)

    /// Called when all clients that had connected before ``EventLoop/drain()`` are accepted.
    func backlogEnded(on loop: isolated EventLoop)
}

extension LoopService {
    /// Does nothing.
    package func batchEnded(on loop: isolated EventLoop) {}

    /// Does nothing.
    package func backlogEnded(on loop: isolated EventLoop) {}
}
