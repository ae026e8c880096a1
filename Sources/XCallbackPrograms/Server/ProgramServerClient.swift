import Glibc
import XCallbackEventLoop
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// The router's side of a connection to the program server: one call, and up to two replies.
///
/// The first reply names the unit of a program, or reports that a detached program has started; the second reports that
/// the program has ended.
///
/// Lives on the loop.
final class ProgramServerClient: Session {
    /// The reason why there is no result, for the log, and the unit whose journal has more.
    struct Failure: Error {
        let reason: String
        var unit: String?

        init(_ reason: String, unit: String? = nil) {
            self.reason = reason
            self.unit = unit
        }
    }

    let account = Account()
    private var conversation: VarlinkClientSession
    private var call: [UInt8] = []
    private var id: ConnectionID?
    private var continuation: CheckedContinuation<ChildResult?, any Error>?
    /// Called once a detached program has ended or the connection to it has closed; nil for any other program.
    private var ended: (@Sendable (isolated EventLoop) -> Void)?
    /// Whether a detached program has started.
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
    func write(_ parameters: JSONValue) throws(CallbackError) {
        conversation.call("\(ProgramServerInterface.name).Run", parameters, mode: .more, into: &call)
        if call.count > ProgramServerInterface.callLimit {
            throw CallbackError(.tooLarge, "The request is too large for a program.")
        }
    }

    /// Connects, and resumes the continuation with the result of the program; nil once a detached program has started.
    func connect(
        to socket: String, _ continuation: CheckedContinuation<ChildResult?, any Error>, on loop: isolated EventLoop
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
            finish(.failure(Failure("\(error)")))
            if let id { loop.disconnect(id) }
        }
    }

    /// Closes the connection if only the end of a detached program is still to come.
    func leave(on loop: isolated EventLoop) {
        if hasStarted, let id { loop.disconnect(id) }
    }

    /// Ends the program because it is no longer needed.
    func cancel(on loop: isolated EventLoop) {
        guard continuation != nil else { return }
        // When the connection closes, the service manager stops the unit with SIGTERM.
        finish(ended == nil ? .success(killed(by: SIGTERM)) : .failure(CancellationError()))
        if let id { loop.disconnect(id) }
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if !call.isEmpty {
            output.append(call.span)
            call = []
            return Progress(consumed: 0, need: .input)
        }
        var position = 0
        while true {
            switch conversation.next(in: input, from: position) {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault): finish(.failure(Failure("\(fault)")))
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
        case .success(let parameters) where ended == nil:
            unit = parameters["unit"]?.text
            if reply.continues { return true }
            finish(.success(ChildResult(parameters)))
            return false
        case .success:
            hasStarted = true
            finish(.success(nil))
            return reply.continues && loop.programService?.isStopping != true
        case .failure(let error):
            finish(.failure(error.cause))
            return false
        }
    }

    private func finish(_ result: Result<ChildResult?, any Error>) {
        continuation.take()?.resume(with: result)
    }

    private func killed(by signal: Int32) -> ChildResult {
        var result = ChildResult(ending: .killed(signal: signal), output: [], exceededOutput: false, errors: [])
        result.unit = unit
        return result
    }

    func closed(on loop: isolated EventLoop) {
        if unit != nil {
            // All processes of the unit were killed, for example by the kernel when it was out of memory.
            finish(.success(killed(by: SIGKILL)))
        } else {
            finish(.failure(Failure("it closed the connection: too many programs are running, or its unit failed")))
        }
        if hasStarted { ended.take()?(loop) }
        loop.programService?.stopIfIdle(on: loop)
    }
}

extension VarlinkError {
    /// The error of the program server as the stage sees it.
    fileprivate var cause: any Error {
        let parameters = JSONValue.object(self.parameters)
        switch name.split(separator: ".").last {
        case "RequestRefused":
            return CallbackError(
                .init(rawValue: parameters["code"]?.integer ?? 500), parameters["message"]?.text ?? "")
        case "NotStarted":
            let code = parameters["number"]?.integer.flatMap { Int32(exactly: $0) }
            return SystemError(parameters["call"]?.text ?? "", code: code ?? 0)
        case "NoSuchProgram": return ProgramServerClient.Failure("the configuration names no program there")
        case "ConfigurationFaulty":
            let count = parameters["faults"]?.integer ?? 0
            return ProgramServerClient.Failure(
                "the configuration has \(count == 1 ? "1 fault" : "\(count) faults")", unit: parameters["unit"]?.text)
        default: return ProgramServerClient.Failure("\(self)")
        }
    }
}
