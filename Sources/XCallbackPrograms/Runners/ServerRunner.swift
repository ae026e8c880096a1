import Glibc
package import Logging
package import XCallbackEventLoop
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

    package func run(_ program: PreparedProgram, on loop: EventLoop) async throws -> ChildResult {
        /// The end of a program with its unit.
        func killed(_ unit: String?, by signal: Int32) -> ChildResult {
            var result = ChildResult(ending: .killed(signal: signal), output: [], exceededOutput: false, errors: [])
            result.unit = unit
            return result
        }
        let reply: JSONValue
        do {
            reply = try await call(program, on: loop)
        } catch ProgramServerClient.Failure.cancelled(let unit) {
            // When the connection closes, the service manager stops the unit with SIGTERM.
            return killed(unit, by: SIGTERM)
        } catch ProgramServerClient.Failure.closed(let unit?) {
            // All processes of the unit were killed, for example by the kernel when it was out of memory.
            return killed(unit, by: SIGKILL)
        }
        guard let result = ChildResult(reply) else { throw unavailable("an incomplete reply", program, on: loop) }
        return result
    }

    package func start(
        _ program: PreparedProgram, on loop: EventLoop, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        do {
            _ = try await call(program, on: loop, ended: ended)
        } catch ProgramServerClient.Failure.cancelled {
            throw CancellationError()
        }
    }

    private func call(
        _ program: PreparedProgram, on loop: EventLoop, ended: (@Sendable (isolated EventLoop) -> Void)? = nil
    ) async throws -> JSONValue {
        var output = 0
        if case .kept(let limit) = program.command.output { output = limit }
        do {
            let parameters = ProgramServerCall(program).json
            return try await loop.call(
                parameters, at: socket, outputLimit: output, within: program.quota, ended: ended)
        } catch let error as ProgramServerRefusal {
            throw failure(error, program, on: loop)
        } catch ProgramServerClient.Failure.tooLarge {
            throw CallbackError(.tooLarge, "The request is too large for a program.")
        } catch let error as ProgramServerClient.Failure {
            switch error {
            case .cancelled, .closed(unit: .some): throw error
            default: throw unavailable("\(error)", program, on: loop)
            }
        }
    }

    private func failure(
        _ refusal: ProgramServerRefusal, _ program: PreparedProgram, on loop: EventLoop
    ) -> any Error {
        switch refusal {
        case .notStarted(let error): return error
        case .request(let code, let message): return CallbackError(CallbackError.Code(rawValue: code), message)
        case .noSuchProgram: return unavailable("\(refusal)", program, on: loop)
        case .configuration(_, let unit): return unavailable("\(refusal)", in: unit, program, on: loop)
        }
    }

    private func unavailable(
        _ reason: String, in unit: String? = nil, _ program: PreparedProgram, on loop: EventLoop
    ) -> CallbackError {
        var metadata: Logger.Metadata = ["error": "\(reason)"]
        if let unit { metadata["program.unit"] = "\(unit)" }
        ProgramLog(routeName: program.stage.routeName, logger: logger).failure(
            "cannot run a program through xcallbackd-run.socket", metadata, cause: reason, for: program.request,
            on: loop)
        return CallbackError(.unavailable, "Programs cannot be run at the moment.")
    }
}

extension EventLoop {
    /// Calls the program server, and waits for its reply.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the call.
    ///   - socket: The path of its socket.
    ///   - outputLimit: The maximum number of output bytes in the reply.
    ///   - quota: The maximum number of programs that run at a time, including this one.
    ///   - ended: Called when a detached program has ended or this process has lost track of it; nil for any other program.
    /// - Returns: The parameters of the reply; for a detached program, once it has started.
    /// - Throws: ``ProgramServerRefusal``, ``ProgramServerClient/Failure``, or ``ChildQuota/Excess``.
    fileprivate func call(
        _ parameters: JSONValue, at socket: String, outputLimit: Int, within quota: ChildQuota?,
        ended: (@Sendable (isolated EventLoop) -> Void)?
    ) async throws -> JSONValue {
        try takeProgram(within: quota)
        defer { giveProgram(within: quota) }
        // The task that handles a cancellation uses it too, but on this loop only.
        nonisolated(unsafe) let client = ProgramServerClient(outputLimit: outputLimit, ended: ended)
        try client.write(parameters)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                client.connect(to: socket, continuation, on: self)
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.cancel(client) }
        }
    }

    /// Closes the connections of detached programs, which continue to run, so that the loop can end.
    package func leaveDetachedPrograms() {
        for case let client as ProgramServerClient in sessions { client.leave(on: self) }
    }

    private func cancel(_ client: ProgramServerClient) {
        client.cancel(on: self)
    }
}
