package import Logging
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackPipeline
package import XCallbackWire

/// Runs one program of the configuration for the system's router, and ends with it: it serves one connection and one call.
package final class ProgramServer: LoopService, Session {
    /// Makes the command of a call, only from the configuration and the values that the request provides for its
    /// placeholders; nil if the configuration has no program at that place.
    package typealias CommandMaker = @Sendable (ProgramServerCall) throws(ProgramServerRefusal) -> ChildCommand?

    package let account = Account()
    private let callerID: UInt32
    private let unit: String?
    private let logger: Logger
    private let keepUnit: @Sendable () throws -> Void
    private let makeCommand: CommandMaker
    /// The connection, until it closes.
    private var id: ConnectionID?
    private var frames = FrameReader(limit: ProgramServerCall.sizeLimit)
    private var hasCalled = false
    /// Whether a detached program is running.
    private var hasDetached = false
    /// The replies that are not written yet.
    private var replies: [JSONValue] = []
    private var isLast = false

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - callerID: The user who may call, in addition to root.
    ///   - unit: The unit in which the server runs, if it is a unit of a service manager.
    ///   - logger: Logs rejected calls.
    ///   - keepUnit: Makes the service manager keep the unit for a detached program.
    ///   - makeCommand: Makes the commands.
    package init(
        callerID: UInt32, unit: String?, logger: Logger, keepUnit: @escaping @Sendable () throws -> Void,
        makeCommand: @escaping CommandMaker
    ) {
        self.callerID = callerID
        self.unit = unit
        self.logger = logger
        self.keepUnit = keepUnit
        self.makeCommand = makeCommand
    }

    package func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        guard [0, callerID].contains(credentials.userID), id == nil else {
            refuse("the caller is not the router", ["peer.uid": "\(credentials.userID)"])
            return nil
        }
        id = connection
        return self
    }

    package func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        var consumed = 0
        if !hasCalled {
            switch frames.next(in: input, from: 0) {
            case .incomplete(let position): return Progress(consumed: position, need: .input)
            case .tooLong: refuse("the call is too long")
            case .frame(let frame, let next):
                consumed = next
                read(input.extracting(frame), on: loop)
            }
        }
        for reply in replies {
            output.append(reply.bytes.span)
            output.append(0)
        }
        replies = []
        return Progress(consumed: consumed, need: isLast || !hasCalled ? .close : .event)
    }

    private func read(_ text: Span<UInt8>, on loop: isolated EventLoop) {
        guard let message = try? JSONValue(parsing: text, maximumSize: text.count), message["parameters"] != nil else {
            return refuse("the message is not a call")
        }
        hasCalled = true
        var metadata: Logger.Metadata = [:]
        do throws(ProgramServerRefusal) {
            let call = try ProgramServerCall(message["parameters"])
            metadata = ["route.pattern": "\(call.route.prefix(256))"]
            if let id = call.request?.id { metadata["request.id"] = "\(id)" }
            guard let command = try makeCommand(call) else { throw .noSuchProgram }
            Task.immediate(executorPreference: loop.executor) { await run(command, on: loop) }
        } catch {
            refuse(error.reason, metadata)
            reply(error.reply, isLast: true, on: loop)
        }
    }

    /// Runs a program until it ends or the connection closes, or starts a detached one.
    private func run(_ command: ChildCommand, on loop: isolated EventLoop) async {
        hasDetached = command.isDetached
        do {
            if command.isDetached {
                try await start(command, on: loop)
                reply(["parameters": ChildResult.started()], on: loop)
            } else {
                if let unit { reply(["parameters": ChildResult.started(in: unit)], on: loop) }
                var result = try await loop.run(command)
                result.unit = unit
                reply(["parameters": result.json], isLast: true, on: loop)
            }
        } catch {
            hasDetached = false
            // A cancelled call gets no reply.
            guard let error = error as? SystemError else { return }
            reply(ProgramServerRefusal.notStarted(error).reply, isLast: true, on: loop)
        }
    }

    /// Starts a detached program, which may run longer than the unit's time limit, and than the connection.
    private func start(_ command: ChildCommand, on loop: isolated EventLoop) async throws {
        // Only the loop calls the closure, when the program has ended.
        nonisolated(unsafe) let server = self
        try await loop.start(command) { loop in
            server.hasDetached = false
            server.isLast = true
            if let id = server.id { loop.wake(id) } else { loop.stop() }
        }
        do {
            try keepUnit()
        } catch {
            logger.warning("the program may end with its unit", metadata: ["error": "\(error)"])
        }
    }

    private func reply(_ message: JSONValue, isLast: Bool = false, on loop: isolated EventLoop) {
        replies.append(message)
        self.isLast = self.isLast || isLast
        if let id { loop.wake(id) }
    }

    private func refuse(_ reason: String, _ metadata: Logger.Metadata = [:]) {
        logger.warning("rejected a call: \(reason)", metadata: metadata)
    }

    package func closed(on loop: isolated EventLoop) {
        id = nil
        if !hasDetached { loop.stop() }
    }

    package func receive(signal: Int32, on loop: isolated EventLoop) { loop.stop() }

    package func deadlinePassed(_ deadline: ServiceDeadline, on loop: isolated EventLoop) {}

    package func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
