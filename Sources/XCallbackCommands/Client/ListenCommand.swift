import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Handles requests with a program.
struct ListenCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Keep a program running that answers requests.",
        discussion: """
            The program runs once for each request, like a program of 'exec' in the configuration: the request is in \
            its environment (XCALLBACK_ACTION, XCALLBACK_PARAM_NAME and others) and, as a JSON object, on its standard \
            input; its output and exit status are the response. It is stopped when the caller disconnects or the \
            request expires.

            With --once it handles one request, and ends. Without a program it prints the request's parameters and those in \
            its fragment as 'name=value', and ends with 1 if there is one called 'error', as after a login with OAuth that \
            was refused.

            If the daemon stops, the command waits for the next one. It also waits if a reload removes the name.

            Example: xcallback listen notes -- notes-handler --verbose
            Example: xcallback listen login --once --where state=7 --timeout 5m --value code

            Exit status: with --once 0 a success, 1 an error, 3 a cancel of the program, 4 no request in time; 5 not \
            allowed, 6 no route delivers to the name, 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: "The name, as 'deliver' in the configuration has it.", completion: .live(.receiver))
    var name: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments, after '--'.", valueName: "program"),
        completion: .file())
    var program: [String] = []

    @Option(help: "The output format of the program: text, json, lines or none, like 'output' in the configuration.")
    var output = ProgramOutput.text

    @Option(help: ArgumentHelp("The exit status that means a cancel.", valueName: "status"))
    var cancelStatus = ProgramAnswer.defaultCancelStatus

    @Option(help: ArgumentHelp("The number of requests to handle at a time.", valueName: "count"))
    var parallel = 1

    @Flag(help: "Report the lines that the program writes to standard error as the progress of the request.")
    var progress = false

    @Flag(help: "End after one request; without a program, print its parameters.")
    var once = false

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "With '--once', take only a request with this value, as a parameter or in the fragment. Repeatable.",
            valueName: "name=value"))
    var conditions: [String] = []

    @Option(help: ArgumentHelp("With '--once', the time to wait, such as 30s or 5m.", valueName: "time"))
    var timeout: TimeOption?

    @Option(help: ArgumentHelp("With '--once', print only the values of this item, one per line.", valueName: "name"))
    var value: String?

    @OptionGroup var location: SocketOption

    func validate() throws {
        if !once, program.isEmpty { throw ValidationError("Give a program after '--', or use '--once'.") }
        if once, parallel != 1 { throw ValidationError("'--once' cannot be combined with '--parallel'.") }
        if !once, !conditions.isEmpty || timeout != nil || value != nil {
            throw ValidationError("'--where', '--timeout' and '--value' need '--once'.")
        }
        if value != nil, !program.isEmpty { throw ValidationError("'--value' cannot be combined with a program.") }
        if let condition = conditions.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
            throw ValidationError("'\(condition.withVisibleControls)' is not 'name=value'.")
        }
        if !(1...255).contains(cancelStatus) { throw ValidationError("'--cancel-status' must be from 1 to 255.") }
        if !(1...64).contains(parallel) { throw ValidationError("'--parallel' must be from 1 to 64.") }
        if let name = program.first, ProgramFolders().path(of: name) == nil {
            throw ValidationError("There is no program '\(name.withVisibleControls)'.")
        }
    }

    func run() throws {
        let command = self
        try Interruption.waitFor { try await command.run(asking: Client(socket: command.location.socket)) }
    }

    func run(asking daemon: Client) async throws {
        if once { return try await handleOne(of: daemon) }
        let listener = try makeListener(daemon)
        try await withThrowingTaskGroup { group in
            for _ in 0..<parallel { group.addTask { try await listener.run() } }
            // The first error ends the other tasks.
            while try await group.next() != nil {}
        }
    }
}

extension ListenCommand {
    private func makeListener(_ daemon: Client) throws(Failure) -> ProgramListener {
        let answer = ProgramAnswer(output, cancelStatus: cancelStatus, outputLimit: ProgramListener.outputLimit)
        return try ProgramListener(name, daemon, program, answer, reportsProgress: progress)
    }
}

extension ProgramOutput: ExpressibleByArgument {}

// The one request for which `xcallback listen --once` waits, such as the link after a login.
extension ListenCommand {
    /// Waits for the request, and responds to it; without a program, prints its parameters.
    ///
    /// - Throws: `ExitCode`, ``Failure``, or `ClientError`.
    private func handleOne(of daemon: Client) async throws {
        let (request, deliveries) = try await next(of: daemon, within: timeout?.limit)
        // Without the stream, the daemon would end the request.
        defer { withExtendedLifetime(deliveries) {} }
        guard program.isEmpty else {
            let response = try await makeListener(daemon).handle(request, until: deliveries)
            switch response {
            case .success, .redirect: return
            case .error: throw ExitCode(ExitStatus.errorAnswer.rawValue)
            case .cancel: throw ExitCode(ExitStatus.cancelled.rawValue)
            }
        }
        try await daemon.respond(toRequest: request.id, with: .success([:]))
        try print(request.allItems)
    }

    private typealias ReceivedOnce = (request: Client.ReceivedRequest, stream: Client.Events<Client.ReceiverEvent>)

    private func next(of daemon: Client, within limit: Duration?) async throws -> ReceivedOnce {
        guard let limit else { return try await next(of: daemon) }
        do {
            return try await withTimeout(limit) { try await next(of: daemon) }
        } catch let error as CallbackError where error.code == .timedOut {
            throw Failure(.timedOut, "no request came within \(limit.text)")
        }
    }

    private func next(of daemon: Client) async throws -> ReceivedOnce {
        let key = "\(UInt64.random(in: 0 ... .max))"
        let deliveries = try await ReplyWatch.wait("to deliver requests") {
            try await daemon.deliveries(receivedAs: name, key: key, where: QueryItems(words: conditions))
        }
        for try await case .request(let request) in deliveries {
            // Otherwise another request could arrive with the response to this one, and nobody would handle it.
            try await daemon.retire(name: name, key: key)
            return (request, deliveries)
        }
        throw CancellationError()
    }

    private func print(_ items: QueryItems) throws {
        let isError = items.contains { $0.name == "error" }
        if let value, !isError {
            guard try Terminal.print(valuesOf: value, in: items) else {
                throw Failure("the request has no item '\(value.withVisibleControls)' with a value")
            }
        } else if value == nil {
            for item in items { try Terminal.print(item: item) }
        } else {
            Terminal.printError("xcallback: \(items.map(\.text).joined(separator: ", ").withVisibleControls)")
        }
        if isError { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}

extension Client.ReceivedRequest {
    /// The parameters, then the items in the fragment.
    fileprivate var allItems: QueryItems {
        var items = parameters
        guard let fragment, let others = try? ActionURL("fragment:?\(fragment)").items else { return items }
        for item in others { items.append(item.name, item.value) }
        return items
    }
}

/// Receives requests and runs a program for each.
struct ProgramListener: Sendable {
    /// The maximum number of bytes of a program's output.
    static let outputLimit = 1_048_576

    private let name: String
    private let daemon: Client
    private let arguments: [[UInt8]]
    private let answer: ProgramAnswer
    private let reportsProgress: Bool
    private let programs: EventLoop

    /// Prepares to run a program.
    ///
    /// - Throws: ``Failure`` if the system is out of descriptors.
    init(
        _ name: String, _ daemon: Client, _ program: [String], _ answer: ProgramAnswer, reportsProgress: Bool
    ) throws(Failure) {
        self.name = name
        self.daemon = daemon
        self.answer = answer
        self.reportsProgress = reportsProgress
        arguments = program.map { Array($0.utf8) }
        do throws(SystemError) {
            programs = try EventLoop(label: "xcallback.programs")
            programs.start()
        } catch {
            throw Failure("cannot run programs: \(error)")
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
            if reportsProgress {
                let receiver = daemon.progressReceiver(ofRequest: request.id)
                command.progress = { receiver.receive(RequestProgress(line: $0)) }
            }
            let result = try await programs.run(command)
            try Task.checkCancellation()
            return try answer.response(to: result) { errors, _ in _ = Terminal.write(Array(errors), to: STDERR_FILENO) }
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

extension ProgramListener {
    /// Runs the program for a request, at most until that ends, and responds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - deliveries: The stream on which it came, which tells its end; the daemon ends it without the stream.
    /// - Returns: The response.
    /// - Throws: `CancellationError`, or `ClientError` if the request has ended before.
    fileprivate func handle(
        _ request: Client.ReceivedRequest, until deliveries: Client.Events<Client.ReceiverEvent>
    ) async throws -> Response {
        try await withThrowingTaskGroup(of: Response?.self) { group in
            group.addTask { try await response(to: request) }
            group.addTask {
                do {
                    for try await delivery in deliveries {
                        switch delivery {
                        case .ended(request.id), .away: return nil
                        case .request, .ended, .differing: continue
                        }
                    }
                } catch {
                    // The stream ends with its last request, too.
                }
                return nil
            }
            let result: Response? = try await group.next() ?? nil
            defer { group.cancelAll() }
            if result == nil {
                group.cancelAll()
                _ = try? await group.next()
            }
            try Task.checkCancellation()
            // If the request has ended, the daemon says why.
            try await daemon.respond(toRequest: request.id, with: result ?? .cancel)
            return result ?? .cancel
        }
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
            let facts: [(RequestFact, String?)] = [
                (.url, url), (.action, action), (.query, json["query"]?.text), (.fragment, fragment),
                (.origin, origin.rawValue), (.uid, "\(peer.userID)"), (.route, route), (.source, source),
            ]
            func name(_ fact: RequestFact) -> String { "XCALLBACK_\(fact.rawValue.variableName)=" }
            let names = RequestFact.allCases.map(name) + ["XCALLBACK_PARAM_"]
            let own = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
            let variables = facts.compactMap { fact, value in value.map { name(fact) + $0 } }
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
