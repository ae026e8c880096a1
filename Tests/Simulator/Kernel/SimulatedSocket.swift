import CLinux
import Glibc

/// A connection: its daemon's end, and what is on the way to either side.
///
/// It does what a Unix stream socket of Linux does: what was sent before an end is still read, and a client that leaves
/// answers behind resets the connection.
final class SimulatedSocket: SimulatedDescriptor {
    /// Who has connected.
    let userID: UInt32
    /// How many bytes wait for the client at most.
    private let room: Int
    /// What the client has sent, and what it has not read.
    private(set) var toDaemon: [UInt8] = []
    private(set) var toClient: [UInt8] = []
    /// What the client has done.
    private(set) var clientHasEnded = false
    private(set) var clientHasLeft = false
    private var isReset = false
    /// When the daemon has accepted it; nil if it has not.
    var acceptedTime: Int64?
    /// What the daemon has done.
    private(set) var takesInput = true
    private(set) var daemonHasEnded = false {
        didSet { if !oldValue { wasFull = !isWritable } }
    }
    private(set) var daemonHasClosed = false
    /// Whether the system could not let the daemon hear of it.
    var isUnheard = false
    /// How many descriptors come with what the client sends next.
    var passedCount = 0
    /// Whether there was no room for more when the daemon has ended its answers.
    private(set) var wasFull = false
    /// Whether something could not be sent at once.
    private(set) var hasBeenFull = false
    /// Whether the daemon hears that it can send.
    private var isWritable: Bool {
        // As in the system, a quarter of the room is enough.
        clientHasLeft || toClient.count * 4 <= room
    }
    /// Whether any have come.
    private(set) var hasPassed = false
    /// Whether one side or the other has closed it, or is about to.
    var isOver: Bool { clientHasLeft || daemonHasClosed || isUnheard }
    /// When the daemon has read something last.
    private(set) var readTime: Int64 = 0
    /// How many bytes the client has sent in all.
    private(set) var sentCount = 0

    init(of userID: UInt32, room: Int) {
        self.userID = userID
        self.room = room
    }

    // MARK: The daemon's side

    override func readiness(at time: Int64) -> EPOLL_EVENTS {
        var events: UInt32 = 0
        let isEnded = clientHasEnded || clientHasLeft || !takesInput
        if !toDaemon.isEmpty || isEnded { events |= EPOLLIN.rawValue }
        if isEnded { events |= EPOLLRDHUP.rawValue }
        if clientHasLeft || isEnded && daemonHasEnded { events |= EPOLLHUP.rawValue }
        if isReset { events |= EPOLLERR.rawValue }
        if isWritable { events |= EPOLLOUT.rawValue }
        return EPOLL_EVENTS(events)
    }

    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if toDaemon.isEmpty {
            if isReset {
                isReset = false
                return failure(ECONNRESET)
            }
            return clientHasEnded || clientHasLeft || !takesInput ? 0 : failure(EAGAIN)
        }
        readTime = World.current.time
        let piece = toDaemon.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        toDaemon.removeFirst(piece.count)
        return piece.count
    }

    /// Takes the descriptors that have come with what was read last, if something was.
    func takePassed(with count: Int) -> Int {
        guard count > 0, passedCount > 0 else { return 0 }
        defer { passedCount = 0 }
        hasPassed = true
        return passedCount
    }

    func send(_ buffer: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
        if clientHasLeft || daemonHasEnded { return failure(EPIPE) }
        let count = min(buffer.count, limit, room - toClient.count)
        if count < buffer.count { hasBeenFull = true }
        if count <= 0 { return failure(EAGAIN) }
        toClient.append(contentsOf: buffer.prefix(count))
        return count
    }

    func shutdown(_ how: Int32) -> Int {
        if how != SHUT_WR { takesInput = false }
        if how != SHUT_RD { daemonHasEnded = true }
        return 0
    }

    override func close() {
        daemonHasClosed = true
        takesInput = false
        daemonHasEnded = true
    }

    // MARK: The client's side

    /// Sends some bytes; false if the daemon takes nothing more.
    func clientSends(_ bytes: some Collection<UInt8>) -> Bool {
        guard takesInput else { return false }
        toDaemon.append(contentsOf: bytes)
        sentCount += bytes.count
        return true
    }

    /// Reads some bytes.
    func clientReads(atMost count: Int) -> [UInt8] {
        let piece = Array(toClient.prefix(count))
        toClient.removeFirst(piece.count)
        return piece
    }

    /// Whether the client finds the end of its answers.
    var clientIsAtEnd: Bool { daemonHasEnded && toClient.isEmpty }

    func clientEnds() { clientHasEnded = true }

    func clientLeaves() {
        isReset = !toClient.isEmpty
        clientHasLeft = true
        toClient = []
    }
}
