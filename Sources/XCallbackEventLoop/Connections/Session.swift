package import XCallbackBytes
package import XCallbackLinux

/// The process at the other end of a connection, as the kernel noted it when it connected.
package struct Credentials: Hashable, Sendable {
    /// Its user.
    package let userID: UInt32
    /// Its primary group.
    package let groupID: UInt32
    /// Its process; 0 if it lives in a process namespace that cannot be seen from here.
    package let processID: Int32

    /// Creates what is known of a process.
    package init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}

/// Names a connection for as long as it lasts; never used again for another one.
package struct ConnectionID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// Creates the name that has a raw value.
    package init(rawValue: UInt64) {
        self.init(slot: UInt32(truncatingIfNeeded: rawValue), generation: UInt32(truncatingIfNeeded: rawValue >> 32))
    }

    /// The name as one number.
    package var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// How far a session has come with what was received.
package struct Progress: Sendable {
    /// What a session needs to go on.
    package enum Need: Sendable {
        /// More input; with no more to come, the connection is closed once its output is sent.
        case input
        /// Another turn, once its output is sent; there is input left that it can go on with.
        case room
        /// A call of ``EventLoop/wake(_:)``; until then nothing is read.
        case event
        /// Nothing: the connection is to be closed once its output is sent.
        case close
    }

    /// How many bytes of the input are done with.
    package let consumed: Int
    /// What the session needs next.
    package let need: Need

    /// Creates a progress.
    package init(consumed: Int, need: Need) {
        self.consumed = consumed
        self.need = need
    }
}

/// One client's conversation over a connection; every call comes on the loop.
package protocol Session: AnyObject {
    /// Who holds what the connection holds, at first.
    var account: Account { get }

    /// Works on what was received, and writes what is to be sent.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed yet.
    ///   - isAtEnd: Whether nothing will follow it.
    ///   - output: Where the bytes to send are appended.
    ///   - loop: The loop that calls.
    /// - Returns: How far it came.
    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress

    /// Hears that the connection ends, as its client has gone too far with what it sends or does not read.
    ///
    /// - Returns: What the client is told last.
    func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8]

    /// Hears that the connection is gone; no call follows.
    func closed(on loop: isolated EventLoop)
}

/// Why a connection ends.
package enum InputFault: Sendable {
    /// More bytes wait than its account may hold.
    case excess(Excess)
    /// A message was begun and not completed for so long.
    case unfinished(Duration)
    /// The client has passed descriptors.
    case descriptors
}

extension Session {
    /// Tells nothing.
    package func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8] { [] }
}

/// Names one of the deadlines that a service has.
package struct ServiceDeadline: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    /// Creates a name.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// What an event loop serves: who may connect, and what happens on signals.
package protocol LoopService: AnyObject {
    /// Opens the session of a new connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - credentials: Who is at its other end.
    ///   - kind: What it counts as at first, which the socket says that the client has connected to.
    ///   - loop: The loop that calls.
    /// - Returns: The session, or nil to close the connection at once.
    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)?

    /// Hears of a signal.
    func receive(signal: Int32, on loop: isolated EventLoop)

    /// Hears that one of its deadlines has passed.
    func deadlinePassed(_ deadline: ServiceDeadline, on loop: isolated EventLoop)

    /// Hears that everything that a batch of events has brought is worked off.
    func batchEnded(on loop: isolated EventLoop)

    /// Hears that no connection can be accepted for a moment, because the system is out of something.
    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop)

    /// Hears that everybody is accepted who had connected before ``EventLoop/drain()``.
    func backlogEnded(on loop: isolated EventLoop)
}

extension LoopService {
    /// Does nothing.
    package func batchEnded(on loop: isolated EventLoop) {}

    /// Does nothing.
    package func backlogEnded(on loop: isolated EventLoop) {}
}
