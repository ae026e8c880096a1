import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackSystemd

extension ServiceDeadline {
    /// No request has arrived for a while.
    fileprivate static let idle = Self(rawValue: 5)
}

/// Receives URLs from the desktop on the session's message bus, and starts the command to handle each of them.
///
/// It serves nothing else, and ends when no request arrives for a while; the bus starts it again.
final class DesktopBus: LoopService, BusMember {
    /// The bus name under which the desktop finds it: that of the desktop entry.
    private static let name = "org.xcallback.Router"
    /// How long it runs without requests.
    private static let patience = Duration.seconds(10)

    /// The variables that let a new window take the focus; valid for one start.
    private static let tokenNames = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]
    /// The variables that are for this process only.
    private static let ownNames = tokenNames + ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE"]

    private let bus: SessionBus
    private let command: String
    private let logger: Logger
    private let lost: @Sendable () -> Void

    /// Starts to connect to the bus.
    ///
    /// - Parameters:
    ///   - command: The path of the command.
    ///   - logger: Logs failures.
    ///   - lost: Called when the bus is lost.
    /// - Throws: ``BusFailure`` if there is no bus.
    init(handlingBy command: String, _ logger: Logger, lost: @escaping @Sendable () -> Void) throws(BusFailure) {
        bus = try SessionBus(name: Self.name)
        self.command = command
        self.logger = logger
        self.lost = lost
    }

    /// Adds the connection to a loop, which ends together with it.
    ///
    /// - Throws: ``SystemError`` if the system is out of memory.
    func begin(on loop: isolated EventLoop) throws(SystemError) {
        loop.setDeadline(.idle, after: Self.patience)
        try BusGuest(bus.connection, of: self, on: loop).proceed(on: loop)
    }

    func process(on loop: isolated EventLoop) throws {
        handle(try bus.process(), on: loop)
    }

    func lose(_ error: any Error, on loop: isolated EventLoop) {
        logger.error("cannot use the session bus", metadata: ["error": "\(error)"])
        lost()
        loop.stop()
    }

    func deadlinePassed(_ deadline: ServiceDeadline, on loop: isolated EventLoop) { leave(loop) }

    func receive(signal: Int32, on loop: isolated EventLoop) { leave(loop) }

    /// Ends once all requests are handled; from then on the bus starts another process.
    private func leave(_ loop: isolated EventLoop) {
        if loop.isEnding { return }
        do {
            handle(try bus.leave(), on: loop)
        } catch {
            logger.error("lost the connection to the session bus", metadata: ["error": "\(error)"])
        }
        loop.stop()
    }

    private func handle(_ requests: [BusRequest], on loop: isolated EventLoop) {
        if requests.isEmpty { return }
        loop.setDeadline(.idle, after: Self.patience)
        for request in requests {
            for url in request.urls { start(url, of: request, on: loop) }
        }
    }

    /// Starts the command for a URL, as a desktop launcher would.
    private func start(_ url: String, of request: BusRequest, on loop: isolated EventLoop) {
        // If only one of them is set, it serves for both.
        let values = [request.activationToken ?? request.startupID, request.startupID ?? request.activationToken]
        let tokens = zip(Self.tokenNames, values).compactMap { name, value in
            value.map { Array("\(name)=\($0)".utf8) }
        }
        let inherited = inheritedVariables().map { Array($0.utf8) }
        var program = ChildCommand(
            arguments: [command, "handle", "--", url].map { Array($0.utf8) },
            environment: tokens + inherited.filter { !Self.ownNames.contains(ProgramEnvironment.name(of: $0)) })
        program.isDetached = true
        let handler = program
        loop.beginObligation()
        Task.immediate(executorPreference: loop.executor) {
            defer { loop.endObligation() }
            do {
                let isStarted = try await loop.startInUnit(handler, logger, ended: { _ in }) { variables in
                    var command = handler
                    command.environment = Self.environment(command.environment, knowing: variables)
                    return try UnitCommand(command, title: "handler of a URL from the desktop", limit: nil)
                }
                if !isStarted { try await loop.start(handler) { _ in } }
            } catch {
                logger.error(
                    "cannot handle a URL from the desktop", metadata: ["error": "\(error)", "program": "\(command)"])
            }
        }
    }

    /// Returns the variables that the service manager currently gives to programs, and this process's variables that
    /// the manager does not have: the session may be newer than the bus.
    private static func environment(_ own: [[UInt8]], knowing variables: [[UInt8]]) -> [[UInt8]] {
        let given = variables.filter { !tokenNames.contains(ProgramEnvironment.name(of: $0)) }
        let names = Set(given.map(ProgramEnvironment.name))
        return given + own.filter { !names.contains(ProgramEnvironment.name(of: $0)) }
    }

    // MARK: - No clients

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? { nil }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
