/// A client that sends a URL a line, and reads an answer a line.
final class LineClient: SimulatedClient {
    /// Whether it was told that the daemon takes nothing more of it.
    private var isRefused = false
    /// What it has asked and has no answer to: what takes the answer, and where the line ends in what it sends.
    private var unanswered: [(line: String, end: Int, take: (String) -> Void)] = []

    init(_ number: Int, _ socket: SimulatedSocket, in world: World) {
        super.init(number, socket, terminator: UInt8(ascii: "\n"), in: world)
    }

    func ask(_ kinds: [Ask.Kind], in world: World) {
        if isEnding { return }
        for kind in kinds {
            let ask = world.ledger.add(kind, over: socket)
            give(ask, as: Array(ask.url.utf8))
            unanswered.append((ask.url, givenCount, { ask.take($0, in: world) }))
        }
    }

    /// Sends a line.
    func send(_ line: String, then take: @escaping (String) -> Void) {
        give(Array(line.utf8))
        unanswered.append((line, givenCount, take))
    }

    override func forget() { unanswered = [] }

    override func receive(_ message: [UInt8], in world: World) {
        let answer = String(decoding: message, as: UTF8.self)
        if isRefused { return world.fail("client \(number) was refused, and reads '\(answer)'") }
        // A client that was too slow or sends too much is told so, with a line that names no request.
        if answer.hasPrefix("xcallback:"), !awaitsOwnAnswer, mayBeRefused(in: world) {
            isRefused = true
            return
        }
        guard let first = unanswered.first else {
            return world.fail("client \(number) has asked nothing, and reads '\(answer)'")
        }
        unanswered.removeFirst()
        first.take(answer)
    }

    /// Whether the daemon itself answers what was asked, because it is an answer to a call.
    private var awaitsOwnAnswer: Bool {
        unanswered.first.map { $0.line.hasPrefix("xcallback:") && hasSent(upTo: $0.end) } ?? false
    }

    override func end(in world: World) {
        guard let first = unanswered.first, hasSent(upTo: first.end) else { return }
        if isRefused || mayBeRefused(in: world) { return }
        if mayBeLost(in: world) { return world.ledger.hasLost = true }
        world.fail("client \(number) has no answer to \(first.line) and is disconnected")
    }
}
