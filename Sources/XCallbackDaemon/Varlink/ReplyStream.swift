import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

/// The replies to a call that requested a stream, kept until its connection can send them.
///
/// A slow reader loses the oldest replies, and receives the number of lost ones; it does not delay others.
final class ReplyStream {
    let connection: ConnectionID
    let peer: Peer
    /// The account that holds the kept replies.
    let account: Account
    /// The name under which the client receives, if any.
    var name: String?
    /// The routes that the client receives, with the types of their parameters, as JSON; empty if it has not named them.
    var routes: [UInt8] = [] {
        didSet {
            account.give(.bytes, oldValue.count)
            account.hold(.bytes, routes.count)
        }
    }
    /// Whether the client knows that the types of its routes differ from the configuration.
    var isDiffering = false
    /// Adds the next replies once everything is written; nil if they are added from elsewhere.
    var refill: (() -> Void)?
    /// The error that ends the call, once everything before it is written.
    private(set) var ending: VarlinkError?

    let loop: EventLoop
    /// Whether the client no longer accepts replies.
    private var isOver = false
    /// The maximum number of kept bytes, if replies may be lost.
    private let limit: Int
    /// Makes the reply with the number of lost replies; nil if none can be lost, because their number is limited
    /// elsewhere.
    private let gap: ((Int) -> JSONValue)?
    /// The kept replies; each is a JSON object.
    private var replies: ArraySlice<[UInt8]> = []
    private var byteCount = 0
    /// The size of the parameters of the call, which can be kept as long as the stream.
    private let parameterSize: Int
    private var missedCount = 0
    private var isAwake = false

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - connection: The connection of the call.
    ///   - peer: The peer of the call.
    ///   - account: The account that holds the kept replies.
    ///   - loop: The event loop, on which the stream runs.
    ///   - limit: The maximum number of kept bytes, if replies may be lost.
    ///   - parameterSize: The size of the parameters of the call in bytes.
    ///   - gap: Makes the reply with the number of lost replies; nil if none can be lost.
    /// - Throws: ``Excess`` if the account has no room for the parameters.
    init(
        on connection: ConnectionID, _ peer: Peer, _ account: Account, of loop: EventLoop, limit: Int,
        parameterSize: Int, gap: ((Int) -> JSONValue)?
    ) throws(Excess) {
        try account.take(.bytes, parameterSize)
        self.parameterSize = parameterSize
        self.loop = loop
        self.connection = connection
        self.peer = peer
        self.account = account
        self.limit = limit
        self.gap = gap
    }

    /// Whether more is kept than a slow reader may have: only where no reply may be lost.
    var isOverfull: Bool { byteCount > limit }

    /// Whether nothing is kept.
    var isEmpty: Bool { replies.isEmpty && missedCount == 0 }

    /// Keeps a reply, and wakes the connection to send it.
    ///
    /// - Parameter reply: A JSON object; its bytes are shared, not copied.
    func add(_ reply: [UInt8]) {
        guard ending == nil, !isOver else { return }
        replies.append(reply)
        byteCount += reply.count
        account.hold(.bytes, reply.count)
        if gap != nil {
            while byteCount > limit, replies.count > 1 { dropFirst() }
            while account.isOverdrawn(.bytes), !replies.isEmpty { dropFirst() }
        }
        wake()
    }

    /// Counts a lost reply.
    func miss() {
        missedCount += 1
        wake()
    }

    /// Releases everything, and accepts no more replies.
    func close() {
        isOver = true
        refill = nil
        account.give(.bytes, byteCount + parameterSize)
        byteCount = 0
        replies = []
        routes = []
    }

    /// Ends the call after the kept replies.
    func end(with error: VarlinkError) {
        if ending == nil { ending = error }
        wake()
    }

    /// Writes at least one kept reply, until the output has `end` bytes; the rest remains for another call.
    func write(to output: inout ByteBuffer, until end: Int, _ conversation: VarlinkServerSession) {
        isAwake = false
        if missedCount > 0, let gap {
            conversation.continue(with: gap(missedCount), into: &output)
            missedCount = 0
        }
        while output.count < end, let reply = takeFirst() {
            conversation.continue(withText: reply.span, into: &output)
        }
        if replies.isEmpty { replies = [] }
    }

    private func dropFirst() {
        _ = takeFirst()
        missedCount += 1
    }

    private func takeFirst() -> [UInt8]? {
        guard let reply = replies.first else { return nil }
        // The slice keeps what it no longer shows.
        replies[replies.startIndex] = []
        replies.removeFirst()
        byteCount -= reply.count
        account.give(.bytes, reply.count)
        return reply
    }

    private func wake() {
        if isAwake { return }
        isAwake = true
        loop.assumeIsolated { [connection] loop in loop.wake(connection) }
    }
}
