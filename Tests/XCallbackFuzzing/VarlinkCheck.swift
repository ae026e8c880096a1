import XCallbackTesting
import XCallbackWire

/// Checks that the replies are JSON, and that it plays no part how the input is cut.
///
/// The input is the limit on messages, the way of cutting, and what a client sends. A line feed stands for the byte zero
/// that ends a message.
func checkVarlink(_ input: FuzzInput) throws {
    var input = input
    let limit = [96, FrameReader.defaultLimit][input.below(2)]
    let cuts = Cuts(number: input.below(Cuts.count))
    let bytes = input.takeRest().map { $0 == UInt8(ascii: "\n") ? 0 : $0 }

    let whole = try VarlinkConversation(of: [bytes[...]], limit: limit)
    let cut = try VarlinkConversation(of: cuts.pieces(of: bytes), limit: limit)
    try check(whole == cut, "in pieces it is \(cut), at once \(whole)")

    for reply in whole.replies {
        let text = Array(reply)
        guard case .object? = try? JSONValue(parsing: text.span, maximumSize: 1 << 20) else {
            throw TestFailure("the reply is no object: \(text.shown)")
        }
    }
}

/// A client's conversation in Varlink, without the connection: what was called, and what was replied.
private struct VarlinkConversation: Equatable, CustomStringConvertible {
    private var steps: [String] = []
    private var written: [UInt8] = []

    /// The replies, without the zero bytes behind them.
    var replies: [ArraySlice<UInt8>] { written.split(separator: 0) }
    var description: String { "\(steps) \(written.shown)" }

    /// Receives what a client sends in pieces.
    init(of pieces: [ArraySlice<UInt8>], limit: Int) throws {
        var session = VarlinkServerSession(limit: limit)
        var message = JSONDocument()
        var output = ByteBuffer()
        var buffer: [UInt8] = []
        for piece in pieces {
            buffer += piece
            var position = 0
            receiving: while true {
                let start = output.count
                switch session.next(
                    in: buffer.span, from: position, of: SampleInterface.service, &message, into: &output)
                {
                case .call(let call, let next):
                    try reply(to: call, in: message, &session, into: &output)
                    position = next
                case .answered(let next):
                    steps.append("answered")
                    position = next
                case .needsInput(let start):
                    buffer.removeFirst(start)
                    break receiving
                case .waits: throw TestFailure("the session waits for a call that is finished")
                case .close(let fault):
                    try check(output.count == start, "a fault is answered")
                    steps.append("\(fault)")
                    written = output.contents
                    return
                }
            }
        }
        written = output.contents
    }

    /// Replies with the parameters of the call.
    private mutating func reply(
        to call: VarlinkCall, in message: JSONDocument, _ session: inout VarlinkServerSession,
        into output: inout ByteBuffer
    ) throws {
        let text: String?
        let parameters: JSONValue
        do throws(VarlinkError) {
            text = try SampleInterface.read(call, in: message)
            parameters = try VarlinkObject(call, in: message).json()
        } catch {
            steps.append("\(error)")
            return session.finish(with: error, into: &output)
        }
        try check(text == parameters["text"]?.text, "'text' is \(text ?? "absent") in \(parameters)")
        steps.append("\(call.method) \(call.mode) \(parameters)")
        let start = output.count
        if session.acceptsMore { session.continue(with: parameters, into: &output) }
        session.finish(with: parameters, into: &output)
        let count = output.contents[start...].count { $0 == 0 }
        let expected =
            switch call.mode {
            case .once: 1
            case .more: 2
            case .oneway: 0
            }
        try check(count == expected, "\(count) replies to a call that wants \(expected)")
    }
}
