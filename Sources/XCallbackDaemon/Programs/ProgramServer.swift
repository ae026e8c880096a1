package import Logging
import XCallbackBuiltIns
package import XCallbackConfiguration
package import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackSystemd
import XCallbackURL

/// Runs one program of the configuration for the system's router, and ends with it.
package final class ProgramServer: LoopService {
    private let locations: Locations
    private let ownership: FileOwnership
    /// Who besides root may call.
    private let callerID: UInt32
    private let logger: Logger
    private let report: @Sendable (ConfigurationError) -> Void
    private var isConnected = false
    /// Whether there is a program that lives on its own.
    private var hasDetached = false

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - locations: Where the configuration and the router's socket are.
    ///   - ownership: Whom the configuration must belong to.
    ///   - callerID: The user who may call, besides root.
    ///   - logger: Where it tells of what it refuses.
    ///   - report: Tells people all that is wrong with the configuration.
    package init(
        _ locations: Locations, ownership: FileOwnership, callerID: UInt32, logger: Logger,
        report: @escaping @Sendable (ConfigurationError) -> Void
    ) {
        self.locations = locations
        self.ownership = ownership
        self.callerID = callerID
        self.logger = logger
        self.report = report
    }

    package func open(
        _ connection: ConnectionID, from credentials: Credentials, on loop: isolated EventLoop
    ) -> (any Session)? {
        guard [0, callerID].contains(credentials.userID) else {
            refuse("a caller who is not the router", ["peer.uid": "\(credentials.userID)"])
            return nil
        }
        isConnected = true
        return ProgramServerSession(connection, self)
    }

    /// Runs the program that a call names.
    func begin(_ parameters: JSONValue, for session: ProgramServerSession, on loop: isolated EventLoop) {
        do throws(ProgramServerRefusal) {
            let command = try command(for: parameters)
            if command.isDetached { return try start(command, for: session, on: loop) }
            run(command, for: session, on: loop)
        } catch {
            session.end(with: .failure(error), on: loop)
            // The router tells of a program that cannot be started.
            if case .notStarted = error { return }
            let route = parameters["route"]?.text ?? ""
            refuse("\(error)", ["route.pattern": "\(route.prefix(256))"])
        }
    }

    /// Makes the command, of nothing but the configuration and what the request fills its placeholders with.
    private func command(for parameters: JSONValue) throws(ProgramServerRefusal) -> ChildCommand {
        let call: ProgramServerCall
        do throws(CallbackError) {
            call = try ProgramServerCall(parameters)
        } catch {
            throw ProgramServerRefusal(error)
        }
        let configuration: RouterConfiguration
        do throws(ConfigurationError) {
            configuration = try RouterConfiguration(
                in: locations.configuration, ownership: ownership, logger: logger, onlyRoute: call.route)
        } catch {
            report(error)
            throw .configuration(faults: error.count)
        }
        let command: ChildCommand?
        do throws(CallbackError) {
            command = try configuration.command(
                of: call.kind, at: call.position, in: call.route, for: call.request, socket: locations.socket)
        } catch {
            throw ProgramServerRefusal(error)
        }
        guard let command else { throw .noSuchProgram(route: call.route) }
        return command
    }

    /// Runs a program that ends with the connection.
    private func run(_ command: ChildCommand, for session: ProgramServerSession, on loop: isolated EventLoop) {
        Task.immediate(executorPreference: loop.executor) {
            do {
                session.end(with: .success(try await loop.run(command).json), on: loop)
            } catch {
                // Of what is cancelled nobody hears.
                guard let error = error as? SystemError else { return }
                session.end(with: .failure(.notStarted(error)), on: loop)
            }
        }
    }

    /// Starts a program that lives on its own, longer than the unit allows.
    private func start(
        _ command: ChildCommand, for session: ProgramServerSession, on loop: isolated EventLoop
    ) throws(ProgramServerRefusal) {
        do throws(SystemError) {
            try loop.start(command) { loop in (loop.service as? ProgramServer)?.programEnded(on: loop) }
        } catch {
            throw .notStarted(error)
        }
        hasDetached = true
        session.end(with: .success(ChildResult.started), on: loop)
        do throws(ServiceManagerError) {
            try ServiceManager().extendTimeout(by: .seconds(315_360_000))
        } catch {
            logger.warning("the program may be ended with its unit", metadata: ["error": "\(error)"])
        }
    }

    /// Tells of a call that is refused.
    func refuse(_ reason: String, _ metadata: Logger.Metadata = [:]) {
        logger.warning("a call was refused: \(reason)", metadata: metadata)
    }

    /// Ends the program with the connection, unless it lives on its own.
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
