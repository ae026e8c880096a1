import CSystemd
import Glibc

/// An event of a program in a unit of its own.
package enum UnitEvent: Sendable {
    /// The program runs.
    case started
    /// The program exited with a status.
    case exited(status: Int32)
    /// A signal killed the program.
    case killed(signal: Int32)
    /// The program was not started.
    case failed(BusFailure)
}

/// The user's service manager, which runs programs in transient units (org.freedesktop.systemd1(5)).
///
/// It never blocks: its owner calls ``BusConnection/process()`` of its connection when that is ready.
package final class TransientUnits {
    /// The bus name of the manager.
    private static let service = "org.freedesktop.systemd1"
    private static let object = "/org/freedesktop/systemd1"
    /// The timeout of the manager's answers.
    private static let patience = Duration.seconds(2)
    /// The timeout to create a unit, or to start to stop it.
    private static let unitPatience = Duration.seconds(20)

    /// The connection, for its owner to poll.
    package let connection: BusConnection
    private var units: [UInt64: TransientUnit] = [:]
    /// The callbacks that wait for the manager's variables.
    private var questions: [UInt64: (Result<[[UInt8]], BusFailure>) -> Void] = [:]
    private var lastQuestion: UInt64 = 0

    /// Starts to connect to the user's bus, on which the manager is.
    ///
    /// - Throws: ``BusFailure`` if there is no bus.
    package init() throws(BusFailure) {
        connection = try BusConnection()
    }

    /// Requests the variables that the manager gives to every program.
    ///
    /// It also shows whether there is a manager.
    ///
    /// - Parameter reply: Receives the variables, as `NAME=value`.
    /// - Throws: ``BusFailure`` if the request cannot be sent.
    package func askVariables(_ reply: @escaping (Result<[[UInt8]], BusFailure>) -> Void) throws(BusFailure) {
        let message = BusMessage(
            on: connection, to: Self.service, at: Self.object, "org.freedesktop.DBus.Properties", "Get")
        message.append("\(Self.service).Manager")
        message.append("Environment")
        lastQuestion += 1
        let number = lastQuestion
        try connection.call(message, within: Self.patience) { [self] message in
            let reply = questions.removeValue(forKey: number)
            if let failure = BusFailure("the user's service manager", reply: message) {
                reply?(.failure(failure))
            } else {
                reply?(.success(readVariant(message, of: "as") { readTexts($0) } ?? []))
            }
        }
        questions[number] = reply
    }

    /// Runs a program in a unit of its own.
    ///
    /// - Parameters:
    ///   - command: The program.
    ///   - number: The number that identifies the program.
    ///   - streams: The descriptors of its standard streams, which the call duplicates; nil for `/dev/null`.
    ///   - variables: The manager's own variables, as `NAME=value`; the program gets only those that the command names.
    ///   - note: Receives the events of the program: that it started and then how it ended, or that it was not started.
    /// - Throws: ``BusFailure`` if the request cannot be sent.
    package func start(
        _ command: UnitCommand, as number: UInt64, _ streams: (input: Int32, output: Int32?, errors: Int32?),
        without variables: [[UInt8]], note: @escaping (UnitEvent) -> Void
    ) throws(BusFailure) {
        let unit = try TransientUnit(command, on: connection) { [self] event in
            if case .started = event { note(event) } else { end(number, with: event) }
        }
        unit.note = note
        let message = managerCall("StartTransientUnit")
        message.append(unit.name)
        message.append("fail")
        message.within(BusType.array, "(sv)") { command.append(to: message, streams, without: variables) }
        message.within(BusType.array, "(sa(sv))") {}
        try connection.call(message, within: Self.unitPatience) { [self] reply in
            if let failure = BusFailure("StartTransientUnit", reply: reply) { end(number, with: .failed(failure)) }
        }
        units[number] = unit
    }

    /// Stops a program and all processes in its unit: SIGTERM, and SIGKILL a moment later.
    package func stop(_ number: UInt64) {
        guard let unit = units[number] else { return }
        let message = managerCall("StopUnit")
        message.append(unit.name)
        message.append("replace")
        try? connection.call(message, within: Self.unitPatience) { [self] reply in
            // The unit may be gone, or was stopped before the program started; then no signal follows.
            if BusFailure("StopUnit", reply: reply) != nil { end(number, with: .killed(signal: SIGTERM)) }
        }
    }

    /// Stops receiving events of programs, and reports the reason to all that wait for one.
    package func close(_ failure: BusFailure) {
        for number in units.keys { end(number, with: .failed(failure)) }
        let questions = questions
        self.questions = [:]
        for reply in questions.values { reply(.failure(failure)) }
        connection.close()
    }

    /// Removes a program that has ended or was not started; processes that it started can continue in its unit.
    private func release(_ number: UInt64) {
        guard let unit = units.removeValue(forKey: number) else { return }
        unit.unwatch()
        // From now on the manager need not keep the exit status.
        let message = managerCall("UnrefUnit")
        message.append(unit.name)
        try? connection.send(message)
    }

    private func end(_ number: UInt64, with event: UnitEvent) {
        guard let unit = units[number] else { return }
        release(number)
        unit.note(event)
    }

    private func managerCall(_ method: String) -> BusMessage {
        BusMessage(on: connection, to: Self.service, at: Self.object, "\(Self.service).Manager", method)
    }
}
