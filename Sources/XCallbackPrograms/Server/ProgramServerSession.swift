import Logging
import XCallbackEventLoop
import XCallbackURL
import XCallbackWire

/// The program server's side of a connection: the router names one program and gets its result.
final class ProgramServerSession: Session {
    let account = Account()
    /// How long the client may take to send a call.
    private static let patience = Duration.seconds(10)

    private let id: ConnectionID
    private let server: ProgramServer
    private var conversation = VarlinkServerSession(limit: ProgramServerInterface.callLimit)
    private var message = JSONDocument()
    /// The first of two replies, until it is written.
    private var firstReply: JSONValue?
    /// The last reply.
    private var reply: Result<JSONValue, VarlinkError>?
    private var timer: DelayedCall?

    /// Creates the session of a connection.
    init(_ id: ConnectionID, _ server: ProgramServer) {
        self.id = id
        self.server = server
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if let first = firstReply.take() { conversation.continue(with: first, into: &output) }
        if reply != nil { return finish(0, &output) }
        var position = 0
        while true {
            let start = output.count
            let step = conversation.next(
                in: input, from: position, of: ProgramServerInterface.service, &message, into: &output)
            switch step {
            case .call(let call, let next):
                if let timer { loop.cancel(timer) }
                do throws(VarlinkError) {
                    server.begin(try ProgramServerCall(VarlinkObject(call, in: message)), for: self, on: loop)
                } catch {
                    conversation.finish(with: error, into: &output)
                    return refuse(next)
                }
                return reply == nil ? Progress(consumed: next, need: .event) : finish(next, &output)
            case .answered(let next):
                position = next
                // Introspection calls get replies with parameters; only a fault gets an error.
                guard output.bytes[start..<output.count].starts(with: "{\"error\"".utf8) else { continue }
                return refuse(position)
            case .needsInput(let position):
                if timer == nil { timer = loop.call(after: Self.patience) { [self] in expire(on: loop) } }
                return Progress(consumed: position, need: .input)
            case .waits: return Progress(consumed: position, need: .event)
            case .close(let fault):
                server.refuse("\(fault)")
                return Progress(consumed: input.count, need: .close)
            }
        }
    }

    /// Replies to a call that accepts more than one reply; returns whether it does.
    func begin(with first: JSONValue, on loop: isolated EventLoop) -> Bool {
        // The program may have ended in the meantime.
        guard conversation.acceptsMore, reply == nil else { return reply != nil }
        firstReply = first
        loop.wake(id)
        return true
    }

    /// Stores the last reply; the loop sends it when the session is woken.
    func end(with reply: Result<JSONValue, VarlinkError>, on loop: isolated EventLoop) {
        self.reply = reply
        loop.wake(id)
    }

    private func finish(_ consumed: Int, _ output: inout ByteBuffer) -> Progress {
        switch reply {
        case .success(let parameters)?: conversation.finish(with: parameters, into: &output)
        case .failure(let error)?: conversation.finish(with: error, into: &output)
        case nil: break
        }
        return Progress(consumed: consumed, need: .close)
    }

    private func refuse(_ consumed: Int) -> Progress {
        server.refuse("the call does not match the interface")
        return Progress(consumed: consumed, need: .close)
    }

    private func expire(on loop: isolated EventLoop) {
        server.refuse("the call is incomplete")
        loop.stop()
    }

    func closed(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        server.connectionClosed(on: loop)
    }
}
