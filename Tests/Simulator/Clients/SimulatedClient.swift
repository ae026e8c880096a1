/// A program that has connected to the daemon.
class SimulatedClient {
    /// How long a client may take to complete a message (the default of `message-time`).
    private static let messageTime: Int64 = 10_000_000_000

    let number: Int
    let socket: SimulatedSocket
    /// What ends a message of this dialect.
    let terminator: UInt8
    /// Whether it does not read for the moment.
    var isPaused = false
    /// Whether it sends nothing more after what it has begun.
    var isEnding = false
    /// Whether it has left, or has seen the end of the connection.
    private(set) var isDone = false
    private var wasSlow = false
    private var hasRead = false
    /// Whether it was told that its request has ended because the daemon stops.
    private var hasSeenStop = false
    /// The configuration that was the oldest when it connected.
    private let configuration: Int

    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    /// Its requests, and where each ends in what it sends.
    private var asks: [(ask: Ask, end: Int)] = []
    /// How many bytes it has given to be sent.
    private(set) var givenCount = 0
    /// Since when part of a message is sent.
    private var partialSince: Int64?

    init(_ number: Int, _ socket: SimulatedSocket, terminator: UInt8, in world: World) {
        self.number = number
        self.socket = socket
        self.terminator = terminator
        configuration = world.ledger.configurations.oldest
    }

    /// Gives a message to be sent, in pieces.
    func give(_ message: [UInt8]) {
        outgoing += message
        outgoing.append(terminator)
        givenCount += message.count + 1
    }

    /// Whether the daemon may have disconnected it: it did not complete a message, has passed descriptors, or there is too
    /// much of something.
    func mayBeRefused(in world: World) -> Bool {
        wasSlow || isSlow(in: world) || socket.isUnheard || socket.hasPassed
            || !hasRead && world.ledger.wasTight(since: configuration)
    }

    private func isSlow(in world: World) -> Bool { partialSince.map { world.time - $0 >= Self.messageTime } ?? false }

    /// Whether a daemon that stops may have left it without an answer: it was told to stop twice, or this client was being
    /// told when the time was over, or had not read so much that nothing could be sent to it, or could not be accepted
    /// or read before.
    func mayBeLost(in world: World) -> Bool {
        if world.ledger.stopCount > 1 { return true }
        guard world.ledger.isDrainOver(at: world.time) else { return false }
        let wasLate = [socket.acceptedTime ?? .max, socket.readTime].contains(where: world.ledger.isDrainOver)
        return hasSeenStop || !incoming.isEmpty || socket.wasFull || wasLate
    }

    /// Notes that it was told that the time to stop is over; false if that is not so.
    @discardableResult
    func noteStop(in world: World) -> Bool {
        hasSeenStop = world.ledger.isDrainOver(at: world.time)
        return hasSeenStop
    }

    /// Checks what has to hold while the daemon waits, and stays.
    func checkRest(in world: World) {
        // It was slow, and the daemon did not mind, unless the end of its connection waits for a thread.
        let mayWaitForThread = world.time - world.refusedThreadTime < 2_000_000_000
        if partialSince == nil, !isPaused, !mayWaitForThread { wasSlow = false }
    }

    /// Gives a message with a request in it.
    func give(_ ask: Ask, as message: [UInt8]) {
        give(message)
        asks.append((ask, givenCount))
    }

    /// Whether all of a message is sent that has ended at a position.
    func hasSent(upTo position: Int) -> Bool { socket.sentCount >= position }

    /// Whether it is told something again and again.
    var isStream: Bool { false }

    /// What can happen to it next.
    func choices(in world: World) -> [() -> Void] {
        if isDone { return [] }
        var choices: [() -> Void] = []
        if !outgoing.isEmpty {
            choices.append { [self] in send(in: world) }
        } else if isEnding, !socket.clientHasEnded {
            choices.append { [self] in
                world.note("client \(number) ends", number)
                socket.clientEnds()
            }
        }
        if !isPaused, !socket.toClient.isEmpty || socket.clientIsAtEnd {
            choices.append { [self] in read(in: world) }
        }
        return choices
    }

    /// When it does something next by itself; nil if it does not.
    func nextTime(in world: World) -> Int64? { nil }

    /// Disconnects.
    func leave(in world: World) {
        if isDone { return }
        isDone = true
        // A line that the end cuts off is a request, too.
        for (ask, _) in asks where ask.sentTime == nil { ask.sentTime = world.time }
        socket.clientLeaves()
    }

    /// Lets go of what it waits for, and with it of the world.
    func forget() {}

    /// Takes a message of the daemon.
    func receive(_ message: [UInt8], in world: World) {}

    /// Sees the end of the connection.
    func end(in world: World) {}

    private func send(in world: World) {
        if isSlow(in: world) { wasSlow = true }
        let count = world.isOneIn(3) ? 1 + world.below(outgoing.count) : outgoing.count
        let piece = outgoing.prefix(count)
        world.note("client \(number) sends \(count) bytes", count)
        guard socket.clientSends(piece) else {
            outgoing = []
            return
        }
        for (ask, end) in asks where ask.sentTime == nil && hasSent(upTo: end) { ask.sentTime = world.time }
        let isWhole = piece.last == terminator
        partialSince = isWhole ? nil : partialSince ?? world.time
        outgoing.removeFirst(count)
    }

    private func read(in world: World) {
        if socket.clientIsAtEnd {
            world.note("client \(number) sees the end", number)
            isDone = true
            return end(in: world)
        }
        // A long message can come in thousands of pieces.
        var searched = incoming.count
        incoming += socket.clientReads(atMost: world.isOneIn(3) ? 1 + world.below(100) : .max)
        while let end = incoming[searched...].firstIndex(of: terminator) {
            searched = 0
            let message = Array(incoming[..<end])
            incoming.removeFirst(end + 1)
            hasRead = true
            let text = String(decoding: message, as: UTF8.self)
            world.note("client \(number) reads \(text)", message.count)
            // Its own time may have been over at the same moment (504).
            if text.contains("errorCode=50") { noteStop(in: world) }
            receive(message, in: world)
        }
    }
}
