import ArgumentParser
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackURL

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

            With --json-lines the program runs once for all requests: it reads a line with a JSON object for each \
            request, and writes one for each response, with 'id', 'outcome' (success, error or cancel), and 'items' or \
            'code' and 'message'. 'id' is optional if the program writes one line for each request, in order. Without \
            a program, the requests are written to standard output, and the responses are read from standard input.

            With --once it handles one request, and ends. Without a program it prints the request's parameters and those in \
            its fragment as 'name=value', and ends with 1 if there is one called 'error', as after a login with OAuth that \
            was refused.

            If the daemon stops, the command waits for the next one. It also waits if a reload removes the name.

            Example: xcallback listen notes -- notes-handler --verbose
            Example: xcallback listen login --once --where state=7 --timeout 5m --value code

            Exit status: 0 end of the lines, 1 the program of --json-lines failed, or with --once an error, 3 with --once a \
            cancel of the program, 4 no request in time, 5 not allowed, 6 no route delivers \
            to the name, 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: "The name, as 'deliver' in the configuration has it.", completion: .live(.receiver))
    var name: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments, after '--'.", valueName: "program"),
        completion: .file())
    var program: [String] = []

    @Flag(
        help: "Exchange JSON objects, one per line, with a program that keeps running, or on standard input and output."
    )
    var jsonLines = false

    @Option(help: "The output format of the program: text, json, lines or none, like 'output' in the configuration.")
    var output = ProgramOutput.text

    @Option(help: ArgumentHelp("The exit status that means a cancel.", valueName: "status"))
    var cancelStatus = ProgramAnswer.defaultCancelStatus

    @Option(help: ArgumentHelp("The number of requests to handle at a time.", valueName: "count"))
    var parallel = 1

    @Flag(help: "End after one request; without a program, print its parameters.")
    var once = false

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "With '--once', take only a request with this value, as a parameter or in the fragment. Repeatable.",
            valueName: "name=value"))
    var conditions: [String] = []

    @Option(help: ArgumentHelp("With '--once', the time to wait, such as 30s or 5m.", valueName: "time"))
    var timeout: String?

    @OptionGroup var value: ValueOption
    @OptionGroup var location: SocketOption

    func validate() throws {
        if !jsonLines, !once, program.isEmpty {
            throw ValidationError("Give a program after '--', or use '--json-lines' or '--once'.")
        }
        if once, jsonLines || parallel != 1 {
            throw ValidationError("'--once' cannot be combined with '--json-lines' or '--parallel'.")
        }
        if !once, !conditions.isEmpty || timeout != nil || value.name != nil {
            throw ValidationError("'--where', '--timeout' and '--value' need '--once'.")
        }
        if value.name != nil, !program.isEmpty { throw ValidationError("'--value' cannot be combined with a program.") }
        if let condition = conditions.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
            throw ValidationError("'\(condition.withVisibleControls)' is not 'name=value'.")
        }
        _ = try limit()
        if !(1...255).contains(cancelStatus) { throw ValidationError("'--cancel-status' must be from 1 to 255.") }
        if !(1...64).contains(parallel) { throw ValidationError("'--parallel' must be from 1 to 64.") }
        if let name = program.first, ProgramFolders().path(of: name) == nil {
            throw ValidationError("There is no program '\(name.withVisibleControls)'.")
        }
    }

    func run() throws {
        let interruption = try Interruption()
        let command = self
        try waitFor {
            try await interruption.run { try await command.run(asking: Client(socket: command.location.socket)) }
        }
    }

    func run(asking daemon: Client) async throws {
        if jsonLines {
            return try await LineListener(name, daemon, running: program).run(receiving: parallel)
        }
        if once {
            return try await SingleRequest(of: name, daemon, conditions: conditionItems).handle(self, within: limit())
        }
        let listener = try makeListener(daemon)
        try await withThrowingTaskGroup { group in
            for _ in 0..<parallel { group.addTask { try await listener.run() } }
            // The first error ends the other tasks.
            while try await group.next() != nil {}
        }
    }
}

extension ListenCommand {
    func makeListener(_ daemon: Client) throws(Failure) -> ProgramListener {
        let answer = ProgramAnswer(output, cancelStatus: cancelStatus, outputLimit: ProgramListener.outputLimit)
        return try ProgramListener(name, daemon, program, answer)
    }

    private func limit() throws -> Duration? {
        guard let timeout else { return nil }
        guard let limit = Duration(text: timeout), limit > .zero else {
            throw ValidationError("'--timeout' needs a time such as 30s or 5m.")
        }
        return limit
    }

    private var conditionItems: QueryItems {
        var items = QueryItems()
        for condition in conditions {
            let parts = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            items.append(String(parts[0]), String(parts[1]))
        }
        return items
    }
}

extension ProgramOutput: ExpressibleByArgument {}
