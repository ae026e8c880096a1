import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackVarlink

/// The replies to a call that asked for more, kept until its connection takes them.
///
/// Whoever reads too slowly loses the oldest ones, and is told how many; nobody else waits for that.
final class ReplyStream {
    let connection: ConnectionID
    let peer: Peer
    /// Who holds what is kept.
    let account: Account
    /// What the client receives as, if it does.
    var name: String?
    /// Adds what is to follow once everything is written; nil if it comes by itself.
    var refill: (() -> Void)?
    /// What ends the call once everything before it is written.
    private(set) var ending: VarlinkError?

    let loop: EventLoop
    /// Whether nobody takes it any more.
    private var isOver = false
    /// How many bytes are kept at most, if some may be lost.
    private let limit: Int
    /// What tells how many replies were lost; nil if all are kept, as whoever adds them sees to it that they are few.
    private let gap: ((Int) -> JSONValue)?
    /// What is kept, from ``first`` on; an object each, in JSON.
    private var replies: [[UInt8]] = []
    private var first = 0
    private var byteCount = 0
    private var missedCount = 0
    private var isAwake = false

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - connection: Where the call came from.
    ///   - peer: Who called.
    ///   - account: Who holds what is kept.
    ///   - loop: The loop, on which all of this happens.
    ///   - limit: How many bytes are kept at most, if some may be lost.
    ///   - gap: Makes the reply that tells how many were lost; nil if none may be.
    init(
        on connection: ConnectionID, _ peer: Peer, _ account: Account, of loop: EventLoop, limit: Int,
        gap: ((Int) -> JSONValue)?
    ) {
        self.loop = loop
        self.connection = connection
        self.peer = peer
        self.account = account
        self.limit = limit
        self.gap = gap
    }

    /// Whether nothing is kept.
    var isEmpty: Bool { first == replies.count && missedCount == 0 }

    /// Keeps a reply, and lets the connection take it soon.
    ///
    /// - Parameter reply: An object in JSON; its bytes are shared, not copied.
    func add(_ reply: [UInt8]) {
        guard ending == nil, !isOver else { return }
        replies.append(reply)
        byteCount += reply.count
        account.hold(.bytes, reply.count)
        if gap != nil {
            while byteCount > limit, first < replies.count - 1 { dropOldest() }
            while account.isOverdrawn(.bytes), first < replies.count { dropOldest() }
        }
        wake()
    }

    /// Counts a reply that is lost.
    func miss() {
        missedCount += 1
        wake()
    }

    /// Lets go of everything, and takes nothing more.
    func close() {
        isOver = true
        refill = nil
        account.give(.bytes, byteCount)
        byteCount = 0
        replies = []
        first = 0
    }

    /// Ends the call after what is kept.
    func end(with error: VarlinkError) {
        if ending == nil { ending = error }
        wake()
    }

    /// Writes what is kept, until there are as many bytes of output, and a reply; the rest waits for another call.
    func write(to output: inout ByteBuffer, until end: Int, _ conversation: VarlinkServerSession) {
        isAwake = false
        if missedCount > 0, let gap {
            conversation.continue(with: gap(missedCount), into: &output)
            missedCount = 0
        }
        while first < replies.count, output.count < end {
            let reply = replies[first]
            conversation.continue(withText: reply.span, into: &output)
            takeFirst()
        }
        if first == replies.count {
            replies.removeAll(keepingCapacity: replies.capacity <= 64)
            first = 0
        }
    }

    private func dropOldest() {
        missedCount += 1
        takeFirst()
        // What was taken is let go many at a time.
        guard first >= 1024 else { return }
        replies.removeFirst(first)
        first = 0
    }

    private func takeFirst() {
        byteCount -= replies[first].count
        account.give(.bytes, replies[first].count)
        replies[first] = []
        first += 1
    }

    private func wake() {
        if isAwake { return }
        isAwake = true
        loop.assumeIsolated { [connection] loop in loop.wake(connection) }
    }
}
