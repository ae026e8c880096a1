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

    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    /// Its requests, and where each ends in what it sends.
    private var asks: [(ask: Ask, end: Int)] = []
    /// How many bytes it has given to be sent.
    private(set) var givenCount = 0
    /// Since when part of a message is sent.
    private var partialSince: Int64?

    init(_ number: Int, _ socket: SimulatedSocket, terminator: UInt8) {
        self.number = number
        self.socket = socket
        self.terminator = terminator
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
        wasSlow || socket.isUnheard || socket.hasPassed || world.ledger.isTight && !hasRead
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
        socket.clientLeaves()
    }

    /// Lets go of what it waits for, and with it of the world.
    func forget() {}

    /// Takes a message of the daemon.
    func receive(_ message: [UInt8], in world: World) {}

    /// Sees the end of the connection.
    func end(in world: World) {}

    private func send(in world: World) {
        if let partialSince, world.time - partialSince >= Self.messageTime { wasSlow = true }
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
            if let partialSince, world.time - partialSince >= Self.messageTime { wasSlow = true }
            world.note("client \(number) sees the end", number)
            isDone = true
            return end(in: world)
        }
        incoming += socket.clientReads(atMost: world.isOneIn(3) ? 1 + world.below(100) : .max)
        while let end = incoming.firstIndex(of: terminator) {
            let message = Array(incoming[..<end])
            incoming.removeFirst(end + 1)
            hasRead = true
            world.note("client \(number) reads \(String(decoding: message, as: UTF8.self))", message.count)
            receive(message, in: world)
        }
    }
}
