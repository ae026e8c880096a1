import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackSystemd

extension ServiceDeadline {
    /// Nobody has asked for anything for a while.
    fileprivate static let idle = Self(rawValue: 5)
}

/// The place on the session's message bus where the desktop hands URLs over, and has the command handle each of them.
///
/// It serves nobody else, and ends when nothing comes for a while: the bus starts it again.
final class DesktopBus: LoopService, BusMember {
    /// The name under which the desktop finds it: that of the desktop entry.
    private static let name = "org.xcallback.Router"
    /// How long it stays when nothing comes.
    private static let patience = Duration.seconds(10)

    /// What lets the window that opens have the focus: good for one start.
    private static let tokenNames = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]
    /// What this process alone was started with.
    private static let ownNames = tokenNames + ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE"]

    private let bus: SessionBus
    private let command: String
    private let logger: Logger
    private let lost: @Sendable () -> Void

    /// Begins to connect to the bus.
    ///
    /// - Parameters:
    ///   - command: The path of the command.
    ///   - logger: Where it tells of what goes wrong.
    ///   - lost: Called if nothing can come any more.
    /// - Throws: ``BusFailure`` if there is no bus.
    init(handlingBy command: String, _ logger: Logger, lost: @escaping @Sendable () -> Void) throws(BusFailure) {
        bus = try SessionBus(name: Self.name)
        self.command = command
        self.logger = logger
        self.lost = lost
    }

    /// Lets it live on a loop, which ends with it.
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

    /// Ends once what has come is handled: from then on the bus starts another one.
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

    /// Starts the command for a URL, as a launcher of the desktop would.
    private func start(_ url: String, of request: BusRequest, on loop: isolated EventLoop) {
        // Where there is one of them, it is good for both.
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

    /// All that the service manager gives programs now, and what it knows nothing of: the session may be younger than
    /// the bus.
    private static func environment(_ own: [[UInt8]], knowing variables: [[UInt8]]) -> [[UInt8]] {
        let given = variables.filter { !tokenNames.contains(ProgramEnvironment.name(of: $0)) }
        let names = Set(given.map(ProgramEnvironment.name))
        return given + own.filter { !names.contains(ProgramEnvironment.name(of: $0)) }
    }

    // MARK: - Nobody connects

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? { nil }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
