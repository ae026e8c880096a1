import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
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
        ReplyWatch.begin("to deliver requests")
        try await daemon.serve(as: name, .program, watcher: { _ in ReplyWatch.end() }, rejected: Client.printRejected) {
            try await response(to: $0)
        }
    }

    /// Runs the program for a request; nil if the request expires first.
    private func response(to request: Client.ReceivedRequest) async throws -> Response? {
        do {
            var command = ChildCommand(
                arguments: arguments, environment: try request.environment, input: request.input)
            command.output = .kept(limit: Self.outputLimit)
            guard let result = try await run(command, for: request.limit) else { return nil }
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

    /// Runs a program, at most for a given time.
    private func run(_ command: ChildCommand, for limit: Duration) async throws -> ChildResult? {
        try await withThrowingTaskGroup(of: ChildResult?.self) { group in
            group.addTask { try await programs.run(command) }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            // The other task is cancelled, which sends the program SIGTERM, and then awaited.
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

extension Client {
    /// Responds to a request; if the request has ended meanwhile, reports that and returns normally.
    func respondOrTell(to id: String, with response: Response) async throws {
        do {
            try await respond(toRequest: id, with: response)
        } catch let error as ClientError {
            switch error.reason {
            case .tooLate, .unknownRequest, .alreadyAnswered, .disconnected, .unreachable, .invalidCall:
                Self.printRejected(error)
            default: throw error
            }
        }
    }

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
            var facts = [
                ("URL", url), ("ACTION", action), ("QUERY", json["query"]?.text ?? ""), ("ORIGIN", origin.rawValue),
                ("UID", "\(peer.userID)"), ("ROUTE", route),
            ]
            if let source { facts.append(("SOURCE", source)) }
            let own = inheritedVariables().filter { !$0.isOfRequest }
            let variables = facts.map { "XCALLBACK_\($0.0)=\($0.1)" } + (try parameterVariables)
            return (own + variables).map { Array($0.utf8) }
        }
    }

    /// One variable per parameter; lists are joined with `/`.
    private var parameterVariables: [String] {
        get throws(CallbackError) {
            var values: [(name: String, variable: String, text: String)] = []
            for item in parameters {
                let variable = "XCALLBACK_PARAM_\(item.name.variableName)"
                guard let place = values.firstIndex(where: { $0.variable == variable }) else {
                    values.append((item.name, variable, item.value ?? ""))
                    continue
                }
                let other = values[place].name
                guard other == item.name else {
                    throw CallbackError(
                        .badParameter,
                        "The parameters '\(other)' and '\(item.name)' would both be \(variable) for the program.")
                }
                values[place].text += "/\(item.value ?? "")"
            }
            return values.map { "\($0.variable)=\($0.text)" }
        }
    }
}

extension String {
    /// Whether the variable describes a request.
    fileprivate var isOfRequest: Bool {
        let names = ["URL", "ACTION", "QUERY", "SOURCE", "ORIGIN", "UID", "ROUTE"].map { "XCALLBACK_\($0)=" }
        return hasPrefix("XCALLBACK_PARAM_") || names.contains { hasPrefix($0) }
    }
}
