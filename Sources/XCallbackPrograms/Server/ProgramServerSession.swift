import Logging
import XCallbackBytes
import XCallbackEventLoop
import XCallbackURL
import XCallbackWire

/// The program server's side of a connection: the router names one program and gets its result.
final class ProgramServerSession: Session {
    let account = Account()
    /// How long the client may take to send a call.
    private static let patience = Duration.seconds(10)

    private let id: ConnectionID
    private let service: ProgramServer
    private var conversation = VarlinkServerSession(limit: ProgramServerInterface.callLimit)
    private var message = JSONDocument()
    private var reply: Result<JSONValue, ProgramServerRefusal>?
    /// The first reply of a running program, until it is written.
    private var firstReply: JSONValue?
    private var timer: DelayedCall?

    /// Creates the session of a connection.
    init(_ id: ConnectionID, _ service: ProgramServer) {
        self.id = id
        self.service = service
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
                    let call = try ProgramServerCall(VarlinkObject(call, in: message))
                    service.begin(call, for: self, on: loop)
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
                service.refuse("\(fault)")
                return Progress(consumed: input.count, need: .close)
            }
        }
    }

    /// Replies with the unit of the program, if the call accepts more than one reply.
    func begin(in unit: String, on loop: isolated EventLoop) {
        guard conversation.acceptsMore else { return }
        firstReply = ChildResult.running(in: unit)
        loop.wake(id)
    }

    /// Replies that a detached program has started; a call that accepts more than one reply continues until the program
    /// has ended.
    func start(with reply: JSONValue, on loop: isolated EventLoop) {
        // The program may have ended in the meantime.
        guard self.reply == nil else { return }
        guard conversation.acceptsMore else { return end(with: .success(reply), on: loop) }
        firstReply = reply
        loop.wake(id)
    }

    /// Stores the result of the call; the loop sends it when the session is woken.
    func end(with reply: Result<JSONValue, ProgramServerRefusal>, on loop: isolated EventLoop) {
        self.reply = reply
        loop.wake(id)
    }

    private func finish(_ consumed: Int, _ output: inout ByteBuffer) -> Progress {
        switch reply {
        case .success(let parameters)?: conversation.finish(with: parameters, into: &output)
        case .failure(let refusal)?: conversation.finish(with: refusal.varlinkError, into: &output)
        case nil: break
        }
        return Progress(consumed: consumed, need: .close)
    }

    private func refuse(_ consumed: Int) -> Progress {
        service.refuse("the call does not match the interface")
        return Progress(consumed: consumed, need: .close)
    }

    private func expire(on loop: isolated EventLoop) {
        service.refuse("the call is incomplete")
        loop.stop()
    }

    func closed(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        service.connectionClosed(on: loop)
    }
}
