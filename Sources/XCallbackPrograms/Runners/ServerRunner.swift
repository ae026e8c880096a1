package import Logging
package import XCallbackEventLoop
package import XCallbackPipeline
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
        _ program: Program, _ command: ChildCommand, for request: Request, within quota: ChildQuota, on loop: EventLoop
    ) async throws -> ChildResult {
        var outputLimit = 0
        if case .kept(let limit) = command.output { outputLimit = limit }
        let result = try await call(program, for: request, within: quota, outputLimit: outputLimit, on: loop)
        guard let result else { throw unavailable(.init("an incomplete reply"), program, request, on: loop) }
        return result
    }

    package func start(
        _ program: Program, _ command: ChildCommand, for request: Request, on loop: EventLoop,
        ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        _ = try await call(program, for: request, within: nil, on: loop, ended: ended)
    }

    private func call(
        _ program: Program, for request: Request, within quota: ChildQuota?, outputLimit: Int = 0, on loop: EventLoop,
        ended: (@Sendable (isolated EventLoop) -> Void)? = nil
    ) async throws -> ChildResult? {
        do {
            let isReceiver = if case .receiver = program.use { true } else { false }
            let call = ProgramServerCall(program.stage, for: isReceiver ? nil : request)
            return try await loop.call(
                call.json, at: socket, within: quota, outputLimit: outputLimit, ended: ended)
        } catch let failure as ProgramServerClient.Failure {
            throw unavailable(failure, program, request, on: loop)
        }
    }

    private func unavailable(
        _ failure: ProgramServerClient.Failure, _ program: Program, _ request: Request, on loop: EventLoop
    ) -> CallbackError {
        var metadata: Logger.Metadata = ["error": "\(failure.reason)"]
        if let unit = failure.unit { metadata["program.unit"] = "\(unit)" }
        ProgramLog(routeName: program.stage.routeName, logger: logger).failure(
            "cannot run a program through xcallbackd-run.socket", metadata, cause: failure.reason, for: request,
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
    ///   - quota: The maximum number of programs that run at a time, including this one.
    ///   - outputLimit: The maximum number of output bytes in the reply.
    ///   - ended: Called when a detached program has ended or this process has lost track of it; nil for any other program.
    /// - Returns: How the program ended; nil for a detached program, which has started.
    /// - Throws: ``ProgramServerClient/Failure``, or an error as a child of the daemon has it.
    fileprivate func call(
        _ parameters: JSONValue, at socket: String, within quota: ChildQuota?, outputLimit: Int,
        ended: (@Sendable (isolated EventLoop) -> Void)?
    ) async throws -> ChildResult? {
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
