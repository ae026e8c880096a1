import Glibc
import XCallbackBytes
import XCallbackEventLoop
import XCallbackLinux
import XCallbackWire

/// The router's side of a connection to the program server: one call, and up to two replies.
///
/// The first reply names the unit of a program, or reports that a detached program has started; the second reports that
/// the program has ended.
///
/// Lives on the loop.
final class ProgramServerClient: Session {
    let account = Account()
    /// The reason why there is no reply.
    enum Failure: Error, CustomStringConvertible {
        /// No process listens, or too many connections wait.
        case unreachable(SystemError)
        /// The connection was closed without a result: there are too many connections, or the unit has ended; the unit if
        /// its program had started.
        case closed(unit: String?)
        /// The reply is invalid.
        case nonsense(String)
        /// The request exceeds the size limit of calls.
        case tooLarge
        /// The program is no longer needed and ends with the connection; its unit, if known.
        case cancelled(unit: String?)

        /// The reason, for the log.
        var description: String {
            switch self {
            case .unreachable(let error): "\(error)"
            case .closed: "it closed the connection: too many programs are running, or its unit failed"
            case .nonsense(let fault): fault
            case .cancelled: "the request was cancelled"
            case .tooLarge: "a call of more than \(ProgramServerInterface.callLimit) bytes"
            }
        }
    }

    private var conversation: VarlinkClientSession
    private var call: [UInt8] = []
    private var id: ConnectionID?
    private var continuation: CheckedContinuation<JSONValue, any Error>?
    /// Called once a detached program has ended; nil for any other program.
    private var ended: (@Sendable (isolated EventLoop) -> Void)?
    /// Whether a reply has arrived: a detached program has started.
    private var hasStarted = false
    /// The unit of a program that is not detached, once the program server has reported it.
    private var unit: String?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - outputLimit: The maximum number of output bytes in the reply.
    ///   - ended: Called when a detached program has ended or the connection to it has closed; nil for any other program.
    init(outputLimit: Int, ended: (@Sendable (isolated EventLoop) -> Void)? = nil) {
        self.ended = ended
        // In base64, plus standard error and the other members.
        conversation = VarlinkClientSession(limit: (outputLimit / 3 + 1) * 4 + 65_536)
    }

    /// Writes the call.
    func write(_ parameters: JSONValue) throws(Failure) {
        conversation.call(
            "\(ProgramServerInterface.name).Run", parameters, mode: .more, into: &call)
        if call.count > ProgramServerInterface.callLimit { throw .tooLarge }
    }

    /// Connects, and resumes the continuation with the reply.
    func connect(
        to socket: String, _ continuation: CheckedContinuation<JSONValue, any Error>, on loop: isolated EventLoop
    ) {
        self.continuation = continuation
        if Task.isCancelled { return cancel(on: loop) }
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

    /// Closes the connection if only the end of a detached program is still to come.
    func leave(on loop: isolated EventLoop) {
        if hasStarted, let id { loop.disconnect(id) }
    }

    /// Ends the program because it is no longer needed.
    func cancel(on loop: isolated EventLoop) { end(with: .failure(Failure.cancelled(unit: unit)), on: loop) }

    /// Resumes the waiting caller, and closes the connection.
    private func end(with result: Result<JSONValue, any Error>, on loop: isolated EventLoop) {
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
        var position = 0
        while true {
            switch conversation.next(in: input, from: position) {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault): finish(.failure(Failure.nonsense("\(fault)")))
            case .reply(let reply, let next):
                position = next
                if take(reply, on: loop) { continue }
            }
            return Progress(consumed: input.count, need: .close)
        }
    }

    /// Handles a reply; returns whether another reply is expected.
    private func take(_ reply: VarlinkReply, on loop: isolated EventLoop) -> Bool {
        switch reply.result {
        case .success(let parameters) where reply.continues && ended == nil:
            unit = parameters["unit"]?.text
            return true
        case .success(let parameters):
            hasStarted = true
            finish(.success(parameters))
            return reply.continues && loop.programService?.isStopping != true
        case .failure(let error):
            finish(.failure(ProgramServerRefusal(error) ?? Failure.nonsense("\(error)") as any Error))
            return false
        }
    }

    private func finish(_ result: Result<JSONValue, any Error>) {
        continuation.take()?.resume(with: result)
    }

    func closed(on loop: isolated EventLoop) {
        finish(.failure(Failure.closed(unit: unit)))
        if hasStarted { ended.take()?(loop) }
        loop.programService?.stopIfIdle(on: loop)
    }
}
