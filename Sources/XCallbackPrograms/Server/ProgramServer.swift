package import Logging
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Runs one program of the configuration for the system's router, and ends with it.
package final class ProgramServer: LoopService {
    /// Makes the command of a call, only from the configuration and the values that the request provides for its
    /// placeholders; nil if the configuration has no program at that place.
    package typealias CommandMaker = @Sendable (ProgramServerCall) throws(ProgramServerRefusal) -> ChildCommand?

    /// The user who may call, in addition to root.
    private let callerID: UInt32
    /// The unit in which the server runs, if it is a unit of a service manager.
    private let unit: String?
    private let logger: Logger
    private let keepUnit: @Sendable () throws -> Void
    private let makeCommand: CommandMaker
    private var isConnected = false
    /// Whether a detached program is running.
    private var hasDetached = false

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
        guard [0, callerID].contains(credentials.userID) else {
            refuse("the caller is not the router", ["peer.uid": "\(credentials.userID)"])
            return nil
        }
        isConnected = true
        return ProgramServerSession(connection, self)
    }

    /// Runs the program of a call.
    func begin(_ call: ProgramServerCall, for session: ProgramServerSession, on loop: isolated EventLoop) {
        do throws(ProgramServerRefusal) {
            if let fault = call.fault { throw ProgramServerRefusal(fault) }
            guard let command = try makeCommand(call) else { throw .noSuchProgram(of: call.route) }
            if command.isDetached { hasDetached = true }
            Task.immediate(executorPreference: loop.executor) {
                do {
                    if command.isDetached {
                        try await start(command, for: session, on: loop)
                    } else {
                        try await run(command, for: session, on: loop)
                    }
                } catch {
                    if command.isDetached { programEnded(on: loop) }
                    // A cancelled call gets no reply.
                    guard let error = error as? SystemError else { return }
                    session.end(with: .failure(.notStarted(error)), on: loop)
                }
            }
        } catch {
            session.end(with: .failure(error.error), on: loop)
            var metadata: Logger.Metadata = ["route.pattern": "\(call.route.prefix(256))"]
            if let id = call.request?.id { metadata["request.id"] = "\(id)" }
            refuse(error.reason, metadata)
        }
    }

    /// Runs a program that ends when the connection closes.
    private func run(
        _ command: ChildCommand, for session: ProgramServerSession, on loop: isolated EventLoop
    ) async throws {
        if let unit { _ = session.begin(with: ChildResult.running(in: unit), on: loop) }
        var result = try await loop.run(command)
        result.unit = unit
        session.end(with: .success(result.json), on: loop)
    }

    /// Starts a detached program, which may run longer than the unit's time limit.
    private func start(
        _ command: ChildCommand, for session: ProgramServerSession, on loop: isolated EventLoop
    ) async throws {
        // Only the loop calls the closure, when the program has ended.
        nonisolated(unsafe) let (server, client) = (self, session)
        try await loop.start(command) { loop in
            client.end(with: .success(ChildResult.started), on: loop)
            server.programEnded(on: loop)
        }
        do {
            try keepUnit()
        } catch {
            logger.warning("the program may end with its unit", metadata: ["error": "\(error)"])
        }
        if !session.begin(with: ChildResult.started, on: loop) {
            session.end(with: .success(ChildResult.started), on: loop)
        }
    }

    /// Logs a rejected call.
    func refuse(_ reason: String, _ metadata: Logger.Metadata = [:]) {
        logger.warning("rejected a call: \(reason)", metadata: metadata)
    }

    /// Ends the program when the connection closes, unless it is detached.
    func connectionClosed(on loop: isolated EventLoop) {
        isConnected = false
        if !hasDetached { loop.stop() }
    }

    private func programEnded(on loop: isolated EventLoop) {
        hasDetached = false
        if !isConnected { loop.stop() }
    }

    package func receive(signal: Int32, on loop: isolated EventLoop) { loop.stop() }

    package func deadlinePassed(_ deadline: ServiceDeadline, on loop: isolated EventLoop) {}

    package func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
