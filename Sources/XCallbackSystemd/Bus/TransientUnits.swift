import CSystemd
import Glibc

/// What has become of a program in a unit of its own.
package enum UnitEvent: Sendable {
    /// It runs.
    case started
    /// It has ended, with a status.
    case exited(status: Int32)
    /// A signal has ended it.
    case killed(signal: Int32)
    /// It was not run.
    case failed(BusFailure)
}

/// The service manager of the user, as it runs programs in transient units (org.freedesktop.systemd1(5)).
///
/// It never waits: whoever owns it calls ``BusConnection/process()`` of its connection when that says so.
package final class TransientUnits {
    /// The name of the manager on the bus, and of its object.
    private static let service = "org.freedesktop.systemd1"
    private static let object = "/org/freedesktop/systemd1"
    /// How long the manager may take to answer.
    private static let patience = Duration.seconds(2)
    /// How long it may take to make a unit, or to begin to end one.
    private static let unitPatience = Duration.seconds(20)

    /// The connection, for whoever looks after it.
    package let connection: BusConnection
    private var units: [UInt64: TransientUnit] = [:]
    /// Who waits for the manager's variables.
    private var questions: [UInt64: (Result<[[UInt8]], BusFailure>) -> Void] = [:]
    private var lastQuestion: UInt64 = 0

    /// Begins to connect to the bus of the user, on which the manager is.
    ///
    /// - Throws: ``BusFailure`` if there is no bus.
    package init() throws(BusFailure) {
        connection = try BusConnection()
    }

    /// Asks the manager for the variables that it gives every program.
    ///
    /// It also shows whether there is a manager.
    ///
    /// - Parameter reply: Takes them, as `NAME=value`.
    /// - Throws: ``BusFailure`` if the manager cannot even be asked.
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
    ///   - number: What names it.
    ///   - streams: The descriptors of its standard streams, which the call duplicates; nil for what goes nowhere.
    ///   - variables: The manager's own variables, as `NAME=value`; the program gets none but those that it names.
    ///   - note: Hears what becomes of it: that it was started, then how it has ended, or that it was not run.
    /// - Throws: ``BusFailure`` if the manager cannot even be asked.
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

    /// Ends a program and all that is in its unit: SIGTERM, and SIGKILL a moment later.
    package func stop(_ number: UInt64) {
        guard let unit = units[number] else { return }
        let message = managerCall("StopUnit")
        message.append(unit.name)
        message.append("replace")
        try? connection.call(message, within: Self.unitPatience) { [self] reply in
            // It may be gone, or have been stopped before it was started; then nothing more is told of it.
            if BusFailure("StopUnit", reply: reply) != nil { end(number, with: .killed(signal: SIGTERM)) }
        }
    }

    /// Hears of no program any more, and tells whoever waits for one why.
    package func close(_ failure: BusFailure) {
        for number in units.keys { end(number, with: .failed(failure)) }
        let questions = questions
        self.questions = [:]
        for reply in questions.values { reply(.failure(failure)) }
        connection.close()
    }

    /// Forgets a program that has ended or was not run; what it has started can live on in its unit.
    private func release(_ number: UInt64) {
        guard let unit = units.removeValue(forKey: number) else { return }
        unit.unwatch()
        // From now on the manager may forget how it ends.
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
