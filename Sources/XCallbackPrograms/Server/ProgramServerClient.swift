import Glibc
import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackVarlink

/// The router's side of the conversation with a runner: one call, one reply.
///
/// The call of a detached program has two: the connection lasts until the program has ended.
///
/// It lives on the loop.
final class ProgramServerClient: Session {
    let account = Account()
    /// Why there is no reply.
    enum Failure: Error, CustomStringConvertible {
        /// Nobody listens, or too many wait.
        case unreachable(SystemError)
        /// The connection was closed without a reply, as at too many connections.
        case closed
        /// The reply cannot be understood.
        case nonsense(String)
        /// The request is larger than any call may be.
        case tooLarge

        /// What is wrong, for the log.
        var description: String {
            switch self {
            case .unreachable(let error): "\(error)"
            case .closed: "it closed the connection: too many programs run, or its unit has failed"
            case .nonsense(let fault): fault
            case .tooLarge: "a call of more than \(ProgramServerInterface.callLimit) bytes"
            }
        }
    }

    private var conversation: VarlinkClientSession
    private var call: [UInt8] = []
    private var id: ConnectionID?
    private var continuation: CheckedContinuation<JSONValue, any Error>?
    /// Called once a detached program has ended; nil for any other.
    private var ended: (@Sendable (isolated EventLoop) -> Void)?
    /// Whether there was a reply: a detached program has started.
    private var hasStarted = false

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - outputLimit: How many bytes of output the reply may have.
    ///   - ended: Called when a detached program has ended, or the connection to it; nil for any other program.
    init(outputLimit: Int, ended: (@Sendable (isolated EventLoop) -> Void)? = nil) {
        self.ended = ended
        // In base64, with what is written to standard error, and the members around them.
        conversation = VarlinkClientSession(limit: (outputLimit / 3 + 1) * 4 + 65_536)
    }

    /// Writes the call.
    func write(_ parameters: JSONValue) throws(Failure) {
        conversation.call(
            "\(ProgramServerInterface.name).Run", parameters, mode: ended == nil ? .once : .more, into: &call)
        if call.count > ProgramServerInterface.callLimit { throw .tooLarge }
    }

    /// Connects, and has somebody wait for the reply.
    func connect(
        to socket: String, _ continuation: CheckedContinuation<JSONValue, any Error>, on loop: isolated EventLoop
    ) {
        self.continuation = continuation
        if Task.isCancelled { return end(with: .failure(CancellationError()), on: loop) }
        do {
            try loop.connect(to: socket) { id, server throws(SystemError) in
                self.id = id
                guard [0, geteuid()].contains(server.userID) else { throw SystemError("connect", code: EPERM) }
                return self
            }
        } catch {
            end(with: .failure(Failure.unreachable(error)), on: loop)
        }
    }

    /// Closes the connection if it lasts only until a detached program has ended.
    func leave(on loop: isolated EventLoop) {
        if hasStarted, let id { loop.disconnect(id) }
    }

    /// Lets whoever waits go on, and closes the connection.
    func end(with result: Result<JSONValue, any Error>, on loop: isolated EventLoop) {
        guard let continuation = continuation.take() else { return }
        continuation.resume(with: result)
        if let id { loop.disconnect(id) }
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if !call.isEmpty {
            let bytes = call
            call = []
            output.append(bytes.span)
            return Progress(consumed: 0, need: .input)
        }
        switch conversation.next(in: input, from: 0) {
        case .needsInput(let position): return Progress(consumed: position, need: .input)
        case .close(let fault): finish(.failure(Failure.nonsense("\(fault)")))
        case .reply(let reply, let next):
            switch reply.result {
            case .success(let parameters):
                hasStarted = true
                finish(.success(parameters))
                let isLeft = (loop.service as? any ProgramService)?.isStopping == true
                if reply.continues, !isLeft { return Progress(consumed: next, need: .input) }
            case .failure(let error):
                finish(.failure(ProgramServerRefusal(error) ?? Failure.nonsense("\(error)") as any Error))
            }
        }
        return Progress(consumed: input.count, need: .close)
    }

    private func finish(_ result: Result<JSONValue, any Error>) {
        continuation.take()?.resume(with: result)
    }

    func closed(on loop: isolated EventLoop) {
        finish(.failure(Failure.closed))
        if hasStarted { ended.take()?(loop) }
        (loop.service as? any ProgramService)?.stopIfIdle(on: loop)
    }
}
