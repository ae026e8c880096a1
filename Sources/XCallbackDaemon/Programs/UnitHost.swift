import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackSystemd

/// The user's service manager, which runs programs in units; lives on the event loop.
///
/// The daemon connects to the manager when a program is to run. If there is no manager, it retries after a pause.
final class UnitHost: BusMember {
    /// The pause before the daemon looks again for a manager that was missing.
    private static let pause = Duration.seconds(30)
    /// How long the bus may take to accept the daemon and deliver the first answer; the manager itself has less time.
    private static let patience = Duration.milliseconds(2500)
    /// The interval at which a manager that is not on the bus yet is asked again.
    private static let interval = Duration.milliseconds(50)

    let logger: Logger
    private var units: TransientUnits?
    private var guest: BusGuest?
    private var nextTime = Duration.zero
    /// Whether the log already reports that there is no manager.
    private var isAbsenceTold = false

    /// Creates a host that has not connected yet.
    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Runs a program in a unit.
    func start(
        _ command: UnitCommand, as number: UInt64, _ streams: (input: Int32, output: Int32?, errors: Int32?),
        without variables: [[UInt8]], on loop: isolated EventLoop, note: @escaping (UnitEvent) -> Void
    ) throws {
        guard let units else { throw SystemError("the user's service manager", code: ENOTCONN) }
        try units.start(command, as: number, streams, without: variables, note: note)
        try guest?.watch(on: loop)
    }

    /// Ends a program and its unit.
    func stop(_ id: ChildID, on loop: isolated EventLoop) {
        units?.stop(id.number)
        watch(on: loop)
    }

    /// Requests the variables that the manager currently gives to programs.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - reply: Receives the variables; nil if there is no manager, or it does not answer.
    func askVariables(on loop: isolated EventLoop, _ reply: @escaping @Sendable ([[UInt8]]?) -> Void) {
        guard loop.now >= nextTime else { return reply(nil) }
        askVariables(on: loop, until: loop.now + Self.patience, reply)
    }

    /// Requests the variables repeatedly until the manager is on the bus: the first client starts the bus, and the
    /// manager joins a moment later.
    private func askVariables(
        on loop: isolated EventLoop, until end: Duration, _ reply: @escaping @Sendable ([[UInt8]]?) -> Void
    ) {
        do {
            let units = try units ?? connect(on: loop)
            let timer = loop.call(after: Self.patience) { [logger] in
                loop.unitHost(logger).giveUp(on: loop)
            }
            do {
                try units.askVariables { [logger] result in
                    loop.assumeIsolated { $0.cancel(timer) }
                    switch result {
                    case .success(let variables):
                        loop.assumeIsolated { loop in loop.unitHost(logger).isAbsenceTold = false }
                        reply(variables)
                    case .failure(let failure)
                    where failure.isOfAbsentee && loop.assumeIsolated({ $0.now < end }) && UserSession.hasServiceManager:
                        loop.assumeIsolated { loop in
                            _ = loop.call(after: Self.interval) {
                                loop.unitHost(logger).askVariables(on: loop, until: end, reply)
                            }
                        }
                    case .failure(let failure):
                        loop.assumeIsolated { loop in loop.unitHost(logger).rest(becauseOf: failure, on: loop) }
                        reply(nil)
                    }
                }
            } catch {
                loop.cancel(timer)
                throw error
            }
            // In any case there is exactly one reply: now, or when the timer fires.
            watch(on: loop)
        } catch {
            rest(becauseOf: error, on: loop)
            reply(nil)
        }
    }

    private func connect(on loop: isolated EventLoop) throws -> TransientUnits {
        let units = try TransientUnits()
        let guest = try BusGuest(units.connection, of: self, on: loop)
        self.units = units
        self.guest = guest
        guest.proceed(on: loop)
        return units
    }

    /// Closes a connection that the bus has not accepted in time.
    private func giveUp(on loop: isolated EventLoop) {
        guest?.leave(loop)
        lose(BusFailure(code: ETIMEDOUT), on: loop)
    }

    func process(on loop: isolated EventLoop) throws {
        try units?.connection.process()
    }

    func lose(_ error: any Error, on loop: isolated EventLoop) {
        guest = nil
        logger.info("cannot reach the user's service manager", metadata: ["error": "\(error)"])
        units.take()?.close(error as? BusFailure ?? BusFailure(code: EIO))
    }

    /// Pauses before the next attempt to reach the manager.
    private func rest(becauseOf error: any Error, on loop: isolated EventLoop) {
        nextTime = loop.now + Self.pause
        if isAbsenceTold { return }
        isAbsenceTold = true
        logger.info("cannot run programs in the user's service manager", metadata: ["error": "\(error)"])
    }

    private func watch(on loop: isolated EventLoop) {
        do throws(SystemError) {
            try guest?.watch(on: loop)
        } catch {
            logger.error("lost the connection to the user's service manager", metadata: ["error": "\(error)"])
        }
    }
}

/// A program that runs in a unit of the user's service manager.
private final class UnitProgram: ProgramHost {
    private let host: UnitHost
    private let command: UnitCommand
    private let variables: [[UInt8]]

    init(_ host: UnitHost, _ command: UnitCommand, without variables: [[UInt8]]) {
        self.host = host
        self.command = command
        self.variables = variables
    }

    func begin(
        _ program: ChildCommand, _ id: ChildID, _ streams: consuming ProgramStreams, on loop: isolated EventLoop
    ) throws(SystemError) {
        do {
            let logger = host.logger
            try host.start(command, as: id.number, streams.numbers, without: variables, on: loop) { event in
                loop.assumeIsolated { loop in loop.unitHost(logger).note(event, of: id, on: loop) }
            }
        } catch {
            throw error as? SystemError ?? SystemError(error as? BusFailure ?? BusFailure(code: EIO))
        }
    }

    func end(_ id: ChildID, on loop: isolated EventLoop) {
        // The client has its answer, and the program does not belong to the daemon: it may run to its end.
        if loop.isEnding || (loop.service as? any ProgramService)?.isOutOfTime == true { return }
        host.stop(id, on: loop)
    }
}

extension UnitHost {
    /// Reports an event of a program to the loop.
    fileprivate func note(_ event: UnitEvent, of id: ChildID, on loop: isolated EventLoop) {
        switch event {
        case .started: loop.noteStart(of: id)
        case .exited(let status): loop.noteEnd(of: id, .success(.exited(status: status)))
        case .killed(let signal): loop.noteEnd(of: id, .success(.killed(signal: signal)))
        case .failed(let failure):
            loop.noteEnd(of: id, .failure(SystemError(failure)))
        }
    }
}

extension EventLoop {
    /// The user's service manager, which runs programs in units.
    func unitHost(_ logger: Logger) -> UnitHost { resident { UnitHost(logger) } }

    /// Returns the variables of the user's service manager, as `NAME=value`; nil if it does not answer.
    func managerVariables(_ logger: Logger) async -> [[UInt8]]? {
        await withCheckedContinuation { continuation in
            unitHost(logger).askVariables(on: self) { continuation.resume(returning: $0) }
        }
    }

    /// Runs a program in a unit of the user's service manager.
    ///
    /// - Parameters:
    ///   - program: A program that is not detached.
    ///   - logger: The log that reports a missing manager.
    /// - Returns: How the program ended; nil if there is no manager.
    /// - Throws: The errors of ``EventLoop/run(_:within:under:)``; ``SystemError`` if the program does not exist.
    func runInUnit(_ program: PreparedProgram, _ logger: Logger) async throws -> ChildResult? {
        guard let variables = await managerVariables(logger) else { return nil }
        let command = try UnitCommand(program, knowing: variables)
        let host = UnitProgram(unitHost(logger), command, without: variables)
        var result = try await run(program.command, within: program.quota, under: host)
        result.unit = command.name
        return result
    }

    /// Starts a detached program in a unit of the user's service manager.
    ///
    /// - Parameters:
    ///   - program: A detached program.
    ///   - logger: The log that reports a missing manager.
    ///   - ended: Called when the program has ended or the manager is unreachable; not called if the program cannot be started.
    ///   - makeCommand: Makes the command from the manager's variables.
    /// - Returns: False if there is no manager.
    /// - Throws: ``SystemError`` if the program cannot be started.
    func startInUnit(
        _ program: ChildCommand, _ logger: Logger, ended: @escaping @Sendable (isolated EventLoop) -> Void,
        _ makeCommand: (_ variables: [[UInt8]]) throws -> UnitCommand
    ) async throws -> Bool {
        guard let variables = await managerVariables(logger) else { return false }
        let host = UnitProgram(unitHost(logger), try makeCommand(variables), without: variables)
        try await start(program, under: host, ended: ended)
        return true
    }
}

extension SystemError {
    /// Converts a failure of the bus to the failure of a system call.
    fileprivate init(_ failure: BusFailure) {
        self.init(failure.subject, code: failure.code)
    }
}
