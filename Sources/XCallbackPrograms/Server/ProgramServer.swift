package import Logging
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// Runs one program of the configuration for the system's router, and ends with it: it serves one connection and one call.
package final class ProgramServer: LoopService, Session {
    package let account = Account()
    private let callerID: UInt32
    private let makeCommand: (ProgramServerCall) throws(VarlinkError) -> ChildCommand
    private let keepUnit: () throws -> Void
    private let unit: String?
    private let logger: Logger
    /// The connection, until it closes.
    private var id: ConnectionID?
    private var conversation = ProgramServerInterface.session
    /// The replies that are not sent yet.
    private var replies = ByteBuffer()
    /// The newest line of the program's progress that is not sent yet.
    private var progress: [UInt8]?
    /// Whether the last reply is among them, or there will be none.
    private var isLast = false
    /// Whether a detached program is being started or is running, which outlives the connection.
    private var hasDetached = false

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - callerID: The user who may call, in addition to root.
    ///   - unit: The unit of the service manager in which the server runs; nil if it is unknown.
    ///   - logger: Logs rejected calls.
    ///   - makeCommand: Makes the command of a call.
    ///   - keepUnit: Asks the service manager to let the unit run as long as a detached program does.
    package init(
        callerID: UInt32, unit: String?, logger: Logger,
        makeCommand: @escaping (ProgramServerCall) throws(VarlinkError) -> ChildCommand,
        keepUnit: @escaping () throws -> Void
    ) {
        self.callerID = callerID
        self.unit = unit
        self.logger = logger
        self.makeCommand = makeCommand
        self.keepUnit = keepUnit
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
        if !isLast, !conversation.isBusy {
            var message = JSONDocument()
            switch conversation.next(
                in: input, from: 0, of: ProgramServerInterface.service, &message, into: &replies)
            {
            case .needsInput(let position): return Progress(consumed: position, need: .input)
            case .close(let fault):
                refuse("\(fault)")
                return Progress(consumed: input.count, need: .close)
            case .answered(let next):
                refuse("the program server has no such method, or the call does not ask for 'more'")
                (consumed, isLast) = (next, true)
            case .call(let call, let next):
                consumed = next
                begin(VarlinkObject(call, in: message), on: loop)
            case .waits: break
            }
        }
        if let line = progress.take(), !isLast {
            conversation.continue(with: ["progress": .string(String(decoding: line, as: UTF8.self))], into: &replies)
        }
        output.append(replies.contents.span)
        replies.truncate(to: 0)
        return Progress(consumed: consumed, need: isLast ? .close : .event)
    }

    private func begin(_ parameters: VarlinkObject, on loop: isolated EventLoop) {
        var metadata: Logger.Metadata = [:]
        do throws(VarlinkError) {
            let call = try ProgramServerCall(parameters)
            metadata = ["route.pattern": "\(call.route.identity.prefix(256))"]
            if let id = call.request?.id { metadata["request.id"] = "\(id)" }
            let command = try makeCommand(call)
            Task.immediate(executorPreference: loop.executor) { await run(command, on: loop) }
        } catch {
            refuse(error.reason, metadata)
            finish(.failure(error), on: loop)
        }
    }

    /// Runs a program until it ends, or until the connection closes if it is not detached.
    private func run(_ command: ChildCommand, on loop: isolated EventLoop) async {
        hasDetached = command.isDetached
        var command = command
        command.report = { [logger] errors in
            logger.notice("the program wrote to standard error: \(String(decoding: errors, as: UTF8.self))")
        }
        // Only the loop calls the closure.
        nonisolated(unsafe) let server = self
        if command.reportsProgress {
            command.progress = { line in loop.assumeIsolated { server.note(line, on: $0) } }
        }
        do {
            var result = try await loop.run(command) { loop.assumeIsolated { server.noteStart(on: $0) } }
            result.unit = unit
            finish(.success(result.json), on: loop)
        } catch let error as SystemError {
            finish(.failure(.notStarted(error)), on: loop)
        } catch {
            // A cancelled call gets no reply.
            isLast = true
        }
        hasDetached = false
        stopIfUnused(loop)
    }

    private func note(_ line: [UInt8], on loop: isolated EventLoop) {
        progress = line
        if let id { loop.wake(id) }
    }

    /// Reports that a program runs; a detached one may outlive the unit's time limit and the connection.
    private func noteStart(on loop: isolated EventLoop) {
        conversation.continue(with: ["unit": .text(unit)], into: &replies)
        if let id { loop.wake(id) }
        guard hasDetached else { return }
        do {
            try keepUnit()
        } catch {
            logger.warning("the program may end with its unit", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the last reply.
    private func finish(_ result: Result<JSONValue, VarlinkError>, on loop: isolated EventLoop) {
        switch result {
        case .success(let parameters): conversation.finish(with: parameters, into: &replies)
        case .failure(let error): conversation.finish(with: error, into: &replies)
        }
        isLast = true
        if let id { loop.wake(id) }
    }

    private func refuse(_ reason: String, _ metadata: Logger.Metadata = [:]) {
        logger.warning("rejected a call: \(reason)", metadata: metadata)
    }

    package func closed(on loop: isolated EventLoop) {
        id = nil
        stopIfUnused(loop)
    }

    /// Ends the server once it has neither a router nor a detached program.
    private func stopIfUnused(_ loop: isolated EventLoop) {
        if id == nil, !hasDetached { loop.stop() }
    }

    package func receive(signal: Int32, on loop: isolated EventLoop) { loop.stop() }

    package func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
