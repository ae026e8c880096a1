import XCallbackEventLoop
import XCallbackPipeline

/// A request that is handed to a client that receives, or what is remembered of it.
struct Delivery {
    /// How far a delivery has come.
    enum State {
        /// No client has it yet.
        case waiting
        /// A client has it.
        case handed(ReceivingClient)
        /// It has ended with the response of its receiver.
        case answered
        /// It has ended without one.
        case lost
    }

    let id: Token
    var state = State.waiting
    /// The session that waits for the response; nil once that is known.
    var session: ClientSession?
    /// The request; nil once the response is known.
    var held: HeldWalk?
    /// What the configuration says of the request.
    var handler: (any DeliveringHandler)?
    /// The clients that may have it.
    var group: ReceiverGroup?
    let deadline: Duration
    /// What ends the wait for a client that receives.
    var patience: DelayedCall?
    /// The user of the client that got it.
    var userID: UInt32?
}
