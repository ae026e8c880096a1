import XCallbackBuiltIns
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Receives requests and runs a program for each.
struct ProgramListener: Sendable {
    /// The maximum number of bytes of a program's output.
    static let outputLimit = 1_048_576

    private let name: String
    private let daemon: Client
    private let arguments: [[UInt8]]
    private let answer: ProgramAnswer
    private let programs: EventLoop

    /// Prepares to run a program.
    ///
    /// - Throws: ``Failure`` if the system is out of descriptors.
    init(_ name: String, _ daemon: Client, _ program: [String], _ answer: ProgramAnswer) throws(Failure) {
        self.name = name
        self.daemon = daemon
        self.answer = answer
        arguments = program.map { Array($0.utf8) }
        do throws(SystemError) {
            programs = try EventLoop(label: "xcallback.programs")
            programs.start()
        } catch {
            throw Failure(.errorAnswer, "cannot run programs: \(error)")
        }
    }

    /// Handles requests one after the other until the task is cancelled.
    func run() async throws {
        let alarm = ReplyWatch.begin("to deliver requests")
        defer { alarm.cancel() }
        try await daemon.serve(
            as: name, .program, watcher: { _ in alarm.cancel() }, rejected: { error, _ in Client.printRejected(error) }
        ) {
            try await response(to: $0)
        }
    }

    /// Runs the program for a request.
    ///
    /// When the request expires, its task is cancelled, which sends the program SIGTERM.
    func response(to request: Client.ReceivedRequest) async throws -> Response {
        do {
            var command = ChildCommand(
                arguments: arguments, environment: try request.environment, input: request.input)
            command.output = .kept(limit: Self.outputLimit)
            let result = try await programs.run(command)
            try Task.checkCancellation()
            return try answer.response(to: result) { errors, _ in Terminal.writeErrors(errors) }
        } catch let error as CallbackError {
            return .error(error)
        } catch let failure as ProgramFailure {
            Terminal.printError("xcallback: the program failed: \(failure)")
        } catch let error as SystemError {
            Terminal.printError("xcallback: cannot run the program: \(error)")
        }
        return .error(.internalFailure)
    }
}

extension Client {
    /// Reports a rejected response.
    @Sendable static func printRejected(_ error: ClientError) {
        Terminal.printError("xcallback: a response was not accepted: \(error.description.withVisibleControls)")
    }
}

extension Client.ReceivedRequest {
    /// The program's standard input, the same as for programs that the daemon runs.
    fileprivate var input: [UInt8] {
        let names = ["url", "route", "action", "query", "parameters", "source", "origin", "peer", "data", "callbacks"]
        return JSONValue.object(names.map { .init($0, json[$0] ?? .null) }).bytes + [UInt8(ascii: "\n")]
    }

    /// The command's own environment, with the variables of this request in place of those of any other.
    fileprivate var environment: [[UInt8]] {
        get throws(CallbackError) {
            let facts = [
                ("URL", url), ("ACTION", action), ("QUERY", json["query"]?.text), ("ORIGIN", origin.rawValue),
                ("UID", "\(peer.userID)"), ("ROUTE", route), ("SOURCE", source),
            ]
            let names = facts.map { "XCALLBACK_\($0.0)=" } + ["XCALLBACK_PARAM_"]
            let own = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
            let variables = facts.compactMap { name, value in value.map { "XCALLBACK_\(name)=\($0)" } }
            return (own + variables + (try parameterVariables)).map { Array($0.utf8) }
        }
    }

    /// One variable per parameter; lists are joined with `/`.
    private var parameterVariables: [String] {
        get throws(CallbackError) {
            var values: [(name: String, variable: String, text: String)] = []
            for item in parameters {
                let variable = ProgramEnvironment.Variable.name(ofParameter: item.name)
                guard let place = values.firstIndex(where: { $0.variable == variable }) else {
                    values.append((item.name, variable, item.value ?? ""))
                    continue
                }
                guard values[place].name == item.name else {
                    let both = "The parameters '\(values[place].name)' and '\(item.name)'"
                    throw CallbackError(.badParameter, "\(both) would both be \(variable) for the program.")
                }
                values[place].text += "/\(item.value ?? "")"
            }
            return values.map { "\($0.variable)=\($0.text)" }
        }
    }
}
