import Glibc
import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackSystemd

/// The user's service manager, as far as it runs programs; it lives on the event loop.
///
/// It is looked for when a program is to run. Where it was not there, it is looked for again after a while.
final class UnitHost: BusMember {
    /// How long nobody looks for a manager that was not there.
    private static let pause = Duration.seconds(30)
    /// How long the bus may take to let the daemon in and to bring the first answer; the manager has less.
    private static let patience = Duration.milliseconds(2500)
    /// How long it takes until a manager that is not on the bus yet is asked again.
    private static let interval = Duration.milliseconds(50)

    let logger: Logger
    private var units: TransientUnits?
    private var guest: BusGuest?
    private var nextTime = Duration.zero
    /// Whether it was told that there is no manager.
    private var isAbsenceTold = false

    /// Creates a host that has not looked for the manager.
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

    /// Ends a program with its unit.
    func stop(_ id: ChildID, on loop: isolated EventLoop) {
        units?.stop(id.number)
        watch(on: loop)
    }

    /// Asks the manager for its variables, as it gives them to programs now.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - reply: Takes them; nil if there is no manager, or none that answers.
    func askVariables(on loop: isolated EventLoop, _ reply: @escaping @Sendable ([[UInt8]]?) -> Void) {
        guard loop.now >= nextTime else { return reply(nil) }
        askVariables(on: loop, until: loop.now + Self.patience, reply)
    }

    /// Asks the manager, again and again if it is not on the bus: the first client starts the bus, and the manager joins a
    /// moment later.
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
            // Whatever comes of that, there is one reply: now, or when the time is over.
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

    /// Lets a bus be that has not let the daemon in.
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

    /// Looks for no manager for a while.
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

/// A program that the user's service manager runs.
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
        // Whoever waited has its answer, and the program is not the daemon's: it may come to its end.
        if loop.isEnding || (loop.service as? any ProgramService)?.isOutOfTime == true { return }
        host.stop(id, on: loop)
    }
}

extension UnitHost {
    /// Tells the loop what has become of a program.
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
    /// The user's service manager, as far as it runs programs.
    func unitHost(_ logger: Logger) -> UnitHost { resident { UnitHost(logger) } }

    /// The variables of the user's service manager, as `NAME=value`; nil if it does not answer.
    func managerVariables(_ logger: Logger) async -> [[UInt8]]? {
        await withCheckedContinuation { continuation in
            unitHost(logger).askVariables(on: self) { continuation.resume(returning: $0) }
        }
    }

    /// Runs a program in a unit of the user's service manager.
    ///
    /// - Parameters:
    ///   - program: The program; not a detached one.
    ///   - logger: Where it is told that there is no manager.
    /// - Returns: How it has ended; nil if there is no manager.
    /// - Throws: What ``EventLoop/run(_:within:under:)`` throws, ``SystemError`` if there is no such program.
    func runInUnit(_ program: PreparedProgram, _ logger: Logger) async throws -> ChildResult? {
        guard let variables = await managerVariables(logger) else { return nil }
        let command = try UnitCommand(program, knowing: variables)
        let host = UnitProgram(unitHost(logger), command, without: variables)
        var result = try await run(program.command, within: program.quota, under: host)
        result.unit = command.name
        return result
    }

    /// Starts a program that lives on its own in a unit of the user's service manager.
    ///
    /// - Parameters:
    ///   - program: The program; a detached one.
    ///   - logger: Where it is told that there is no manager.
    ///   - ended: Called when it has ended, or the manager is out of reach; not if it cannot be started.
    ///   - makeCommand: Makes the command of the manager's variables.
    /// - Returns: False if there is no manager.
    /// - Throws: ``SystemError`` if it cannot be started.
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
    /// What the bus has failed in, as the failure of a call.
    fileprivate init(_ failure: BusFailure) {
        self.init(failure.subject, code: failure.code)
    }
}
