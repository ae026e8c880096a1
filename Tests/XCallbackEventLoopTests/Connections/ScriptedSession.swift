import XCallbackEventLoop
import XCallbackTesting
import XCallbackWire

/// A session that takes one command a line, and tells what happens to it.
///
/// `echo TEXT` answers; `wait TEXT` answers when the gate is opened; `fill N` answers N bytes and then waits as
/// well; `close` ends.
final class ScriptedSession: TestSession {
    let account = Account()
    private let trace: EventLog
    private let gate: Gate
    /// Hears the name of the connection.
    private let hears: @Sendable (ConnectionID) -> Void
    private var id: ConnectionID?
    private var waiting: [UInt8]?
    private var isAwake = false

    init(_ trace: EventLog, gate: Gate = Gate(), hears: @escaping @Sendable (ConnectionID) -> Void = { _ in }) {
        self.trace = trace
        self.gate = gate
        self.hears = hears
    }

    func opened(_ id: ConnectionID, on loop: isolated EventLoop) {
        self.id = id
        hears(id)
        trace.add("opened")
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if let answer = waiting {
            guard isAwake || gate.pass() else { return Progress(consumed: 0, need: .event) }
            output.append(answer.span)
            waiting = nil
            isAwake = false
        }
        var consumed = 0
        var line: [UInt8] = []
        for index in input.indices {
            guard input[index] == UInt8(ascii: "\n") else {
                line.append(input[index])
                continue
            }
            consumed = index + 1
            let need = obey(String(decoding: line, as: UTF8.self), &output, on: loop)
            if let need { return Progress(consumed: consumed, need: need) }
            line = []
        }
        return Progress(consumed: consumed, need: .input)
    }

    func closed(on loop: isolated EventLoop) {
        trace.add("closed")
    }

    private func obey(
        _ line: String, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress.Need? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        trace.add(line)
        switch words[0] {
        case "echo":
            output.append(Array("\(words[1])\n".utf8).span)
            return nil
        case "fill":
            let flood = [UInt8](repeating: UInt8(ascii: "f"), count: Int(words[1]) ?? 0) + [UInt8(ascii: "\n")]
            output.append(flood.span)
            waiting = Array("filled\n".utf8)
            // It goes on at once, though the socket cannot have taken all that.
            isAwake = true
            if let id { loop.wake(id) }
            return .event
        case "wait":
            waiting = Array("\(words[1])\n".utf8)
            gate.await(id)
            return .event
        default: return .close
        }
    }
}
