/// A client that sends a URL a line, and reads an answer a line.
final class LineClient: SimulatedClient {
    /// Whether it was told that the daemon takes nothing more of it.
    private var isRefused = false
    /// What it has asked and has no answer to; nil stands for a line whose answer says nothing.
    private var unanswered: [(ask: Ask?, end: Int)] = []

    init(_ number: Int, _ socket: SimulatedSocket) {
        super.init(number, socket, terminator: UInt8(ascii: "\n"))
    }

    func ask(_ kinds: [Ask.Kind], in world: World) {
        if isEnding { return }
        for kind in kinds {
            let ask = world.ledger.add(kind, over: socket)
            give(ask, as: Array(ask.url.utf8))
            unanswered.append((ask, givenCount))
        }
    }

    /// Sends a line to which any answer will do.
    func send(_ line: String) {
        give(Array(line.utf8))
        unanswered.append((nil, givenCount))
    }

    override func receive(_ message: [UInt8], in world: World) {
        let answer = String(decoding: message, as: UTF8.self)
        // A client that was too slow or sends too much is told so, with a line that names no request.
        if answer.hasPrefix("xcallback:"), isRefusal(answer, in: world) {
            isRefused = true
            return
        }
        guard let (ask, _) = unanswered.first else {
            return world.fail("client \(number) has asked nothing, and reads '\(answer)'")
        }
        unanswered.removeFirst()
        ask?.take(answer, in: world)
    }

    private func isRefusal(_ answer: String, in world: World) -> Bool {
        if world.ledger.isTight, answer.contains("errorCode=429") { return true }
        return mayBeRefused(in: world) || unanswered.first.map { !hasSent(upTo: $0.end) } ?? true
    }

    override func end(in world: World) {
        guard let (ask, end) = unanswered.first, hasSent(upTo: end) else { return }
        if isRefused || mayBeRefused(in: world) { return }
        if world.ledger.mayEndEarly(at: world.time) { return }
        world.fail("client \(number) has no answer to \(ask?.url ?? "a line") and is disconnected")
    }
}
