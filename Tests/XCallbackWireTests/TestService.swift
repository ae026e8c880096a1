import Testing
import XCallbackTesting
import XCallbackWire

/// A service with one interface, and a conversation with it.
final class TestService {
    var session: VarlinkServerSession
    private var message = JSONDocument()
    private var input: [UInt8] = []
    /// What was replied and not taken yet.
    private(set) var output = ByteBuffer()
    /// The calls that were read.
    private(set) var calls: [(method: Int, mode: VarlinkCall.Mode, parameters: JSONValue)] = []
    /// Why the connection has to be closed.
    private(set) var fault: VarlinkFault?

    init(limit: Int = FrameReader.defaultLimit) {
        session = VarlinkServerSession(limit: limit)
    }

    /// The replies that were written, without the zero bytes behind them.
    func takeReplies() -> [String] {
        defer { output.truncate() }
        return output.contents.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Receives a message, and works on all that is there until a call has to be answered.
    func receive(_ message: String) {
        receive(Array(message.utf8) + [0])
    }

    /// Receives bytes, and works on all that is there until a call has to be answered.
    func receive(_ bytes: [UInt8]) {
        input += bytes
        proceed()
    }

    /// Receives a message; the replies to it, where all calls reply nothing.
    func replies(to message: String) -> [String] {
        receive(message)
        while session.isBusy { finish() }
        return takeReplies()
    }

    /// Finishes the call that is open, and works on what follows it.
    func finish(with reply: JSONValue = [:]) {
        guard isBusy() else { return }
        session.finish(with: reply, into: &output)
        proceed()
    }

    /// Finishes the call that is open with an error, and works on what follows it.
    func finish(with error: VarlinkError) {
        guard isBusy() else { return }
        session.finish(with: error, into: &output)
        proceed()
    }

    /// Replies to the call that is open, which goes on.
    func `continue`(with reply: JSONValue) {
        guard isBusy() else { return }
        session.continue(with: reply, into: &output)
    }

    /// Whether there is a call to reply to, which the test takes for granted.
    private func isBusy() -> Bool {
        if !session.isBusy { Issue.record("no call is open") }
        return session.isBusy
    }

    private func proceed() {
        var position = 0
        while fault == nil {
            switch session.next(in: input.span, from: position, of: SampleInterface.service, &message, into: &output) {
            case .call(let call, let next):
                position = next
                do throws(VarlinkError) {
                    _ = try SampleInterface.read(call, in: message)
                    calls.append((call.method, call.mode, try VarlinkObject(call, in: message).json()))
                } catch {
                    session.finish(with: error, into: &output)
                }
            case .answered(let next): position = next
            case .needsInput(let start):
                input.removeFirst(start)
                return
            case .waits:
                input.removeFirst(position)
                return
            case .close(let fault): self.fault = fault
            }
        }
    }
}
