import Glibc
package import Logging
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Runs each program in a unit of its own, which the service manager starts for a connection (`xcallbackd --run`).
///
/// The unit makes the command itself, from the configuration: it gets only the program's place there and the request.
/// Closing the connection ends the program, unless it is detached: then the connection stays open as long as the program
/// runs, so that the program counts until it has ended.
package struct ServerRunner: ProgramRunner {
    private let socket: String
    private let logger: Logger

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - socket: The path of the socket.
    ///   - logger: Logs programs that it cannot run.
    package init(socket: String, logger: Logger) {
        self.socket = socket
        self.logger = logger
    }

    package var manner: String? { "in a unit of its own (xcallbackd-run@.service)" }

    package func run(
        _ program: Program, _ command: ChildCommand, for request: Request, _ host: any StageHost,
        on loop: isolated EventLoop, started: @escaping @Sendable () -> Void
    ) async throws -> ChildResult {
        // The task that handles a cancellation uses it too, but on this loop only.
        nonisolated(unsafe) let client = ProgramServerClient(command, started)
        try client.write(ProgramServerCall(program.stage, for: request, isReceiver: program.isReceiver))
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { client.connect(to: socket, $0, on: loop) }
            } onCancel: {
                _ = Task.immediate(executorPreference: loop.executor) { await client.cancel(on: loop) }
            }
        } catch let failure as ProgramServerClient.Failure {
            var metadata: Logger.Metadata = ["error": "\(failure.reason)"]
            if let unit = failure.unit { metadata["program.unit"] = "\(unit)" }
            ProgramLog(logger: logger).failure(
                "cannot run a program through xcallbackd-run.socket", metadata, cause: failure.reason, for: request,
                host)
            throw failure.error
        }
    }
}

extension EventLoop {
    /// Closes the connections of detached programs, which continue to run, so that the loop can end.
    package func leaveDetachedPrograms() {
        for case let client as ProgramServerClient in sessions { client.disconnectIfStarted(on: self) }
    }
}

/// The router's side of a connection to the program server; lives on the loop.
private final class ProgramServerClient: Session {
    /// The reason why there is no result, for the log, and the unit whose journal has more.
    struct Failure: Error {
        let reason: String
        var unit: String?
        /// What the client of the router sees.
        var error = CallbackError(.unavailable, "Programs cannot be run at the moment.")
    }

    let account = Account()
    private var conversation: VarlinkClientSession
    private var call: [UInt8] = []
    private var id: ConnectionID?
    private var continuation: CheckedContinuation<ChildResult, any Error>?
    private let isDetached: Bool
    /// Called once, when the program server has reported that the program runs, or runs on if it is detached.
    private var started: (@Sendable () -> Void)?
    private let progress: (@Sendable ([UInt8]) -> Void)?
    /// The unit of the program, once the program server has reported it.
    private var unit: String?

    init(_ command: ChildCommand, _ started: @escaping @Sendable () -> Void) {
        let outputLimit = if case .kept(let limit) = command.output { limit } else { 0 }
        isDetached = command.isDetached
        progress = command.progress
        self.started = started
        // In base64, plus standard error and the other members.
        conversation = VarlinkClientSession(limit: (outputLimit / 3 + 1) * 4 + 65_536)
    }

    func write(_ call: ProgramServerCall) throws(CallbackError) {
        let method = "\(ProgramServerInterface.name).\(ProgramServerInterface.run)"
        conversation.call(method, call.parameters, mode: .more, into: &self.call)
        if self.call.count > ProgramServerInterface.sizeLimit {
            throw CallbackError(.tooLarge, "The request is too large for a program.")
        }
    }

    /// Connects, and resumes the continuation with the result of the program.
    func connect(
        to socket: String, _ continuation: CheckedContinuation<ChildResult, any Error>, on loop: isolated EventLoop
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
            finish(.failure(Failure(reason: "\(error)")))
        }
    }

    /// Closes the connection if only the end of a detached program is still to come.
    func disconnectIfStarted(on loop: isolated EventLoop) {
        if isDetached, started == nil, let id { loop.disconnect(id) }
    }

    /// Ends the program because it is no longer needed.
    func cancel(on loop: isolated EventLoop) {
        // A detached program may run already.
        guard continuation != nil, !isDetached || id == nil else { return }
        // When the connection closes, the service manager stops the unit with SIGTERM.
        finish(isDetached ? .failure(CancellationError()) : .success(killed(by: SIGTERM)))
        if let id { loop.disconnect(id) }
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        output.append(call.span)
        call = []
        var position = 0
        while true {
            switch conversation.next(in: input, from: position) {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault): finish(.failure(Failure(otherVersion: "its reply is \(fault)")))
            case .reply(let reply, let next):
                position = next
                if take(reply) { continue }
            }
            return Progress(consumed: input.count, need: .close)
        }
    }

    /// Handles a reply; returns whether more is to come.
    private func take(_ reply: VarlinkReply) -> Bool {
        switch reply.result {
        case .success(let parameters) where reply.continues:
            if let line = parameters["progress"]?.text {
                progress?(Array(line.utf8))
                return true
            }
            unit = parameters["unit"]?.text
            started.take()?()
            return true
        case .success(let parameters):
            guard let result = ChildResult(parameters) else {
                finish(.failure(Failure(otherVersion: "its reply does not match the interface")))
                break
            }
            finish(.success(result))
        case .failure(let error): finish(.failure(cause(of: error)))
        }
        return false
    }

    /// Returns the error of the program server as the stage sees it.
    private func cause(of error: VarlinkError) -> any Error {
        let parameters = JSONValue.object(error.parameters)
        func number(_ name: String) -> Int { parameters[name]?.integer ?? 0 }
        switch error.name.dropFirst(ProgramServerInterface.name.count + 1) {
        case "RequestRefused": return CallbackError(.init(rawValue: number("code")), error.reason)
        case "NotStarted":
            return SystemError(parameters["call"]?.text ?? "", code: Int32(truncatingIfNeeded: number("number")))
        case "RouteChanged":
            return Failure(reason: error.reason, unit: parameters["unit"]?.text, error: .changedRoute)
        case "NoSuchProgram": return Failure(reason: error.reason)
        default: return Failure(otherVersion: "it replies \(error)")
        }
    }

    private func finish(_ result: Result<ChildResult, any Error>) {
        continuation.take()?.resume(with: result)
    }

    private func killed(by signal: Int32) -> ChildResult {
        var result = ChildResult(ending: .killed(signal: signal), output: [], exceededOutput: false, errors: [])
        result.unit = unit
        return result
    }

    func closed(on loop: isolated EventLoop) {
        if started == nil {
            // Nobody knows how a detached program ends. All processes of another's unit were killed, for example by the kernel
            // when it was out of memory.
            finish(isDetached ? .failure(CancellationError()) : .success(killed(by: SIGKILL)))
        } else {
            let reason = "it closed the connection: too many programs are running, or its unit failed"
            finish(.failure(Failure(reason: reason)))
        }
    }
}

extension ProgramServerClient.Failure {
    /// Router and program server do not understand each other: an upgrade has replaced the program, but not the service.
    fileprivate init(otherVersion reason: String) {
        self.init(
            reason: "it is of another version than the running service (\(reason)): restart xcallbackd.service",
            error: .otherVersion)
    }
}

extension CallbackError {
    fileprivate static let otherVersion = CallbackError(
        .unavailable,
        "The installed xcallbackd is of another version than the running one: restart xcallbackd.service.")

    /// The files of a route have changed since they were loaded: neither the old nor the new program is certain.
    fileprivate static let changedRoute = CallbackError(
        .unavailable,
        "The configuration of this action has changed since it was loaded: 'xcallback reload --system' loads it.")
}
