import ArgumentParser
import XCallbackClient
import XCallbackPrograms

/// Handles requests with a program.
struct ListenCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive the requests that routes deliver to a name, and let a program respond, until Ctrl-C.",
        discussion: """
            The program runs once for each request, like that of 'exec' in the configuration: the request is in its \
            environment (XCALLBACK_ACTION, XCALLBACK_PARAM_NAME and others) and, as a JSON object, on its standard \
            input; its output and exit status are the response. It is ended when the caller disconnects or the time \
            limit of the request expires.

            With --json-lines the program runs all the time: it reads one JSON object a line for each request, and \
            writes one for each response, with 'id', 'outcome' (success, error or cancel), and 'items' or 'code' and \
            'message'. It can leave out 'id' if it writes one line for each, in order. Without a program, these lines \
            are on standard output and standard input.

            When the daemon goes away, it waits for the next one. If a reload removes the name, it waits for the \
            name.

            Example: xcallback listen notes -- notes-handler --verbose

            Exit status: 0 the lines have ended, 1 the program of --json-lines has failed, 5 not allowed, 6 no route \
            delivers to the name, 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: "The name, as in 'deliver' in the configuration.", completion: .live(.receiver))
    var name: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments, after '--'.", valueName: "program"),
        completion: .file())
    var program: [String] = []

    @Flag(help: "Exchange one JSON object a line, with a program that runs all the time or with standard streams.")
    var jsonLines = false

    @Option(help: "The form of the program's output: text, json, lines or none, like 'output' in the configuration.")
    var output = ProgramOutput.text

    @Option(help: ArgumentHelp("The exit status that means a cancel.", valueName: "status"))
    var cancelStatus = ProgramAnswer.defaultCancelStatus

    @Option(help: ArgumentHelp("How many requests are handled at a time.", valueName: "count"))
    var parallel = 1

    @OptionGroup var location: SocketOption

    func validate() throws {
        if !jsonLines, program.isEmpty {
            throw ValidationError("Name a program after '--', or say '--json-lines'.")
        }
        if !(1...255).contains(cancelStatus) { throw ValidationError("'--cancel-status' is from 1 to 255.") }
        if !(1...64).contains(parallel) { throw ValidationError("'--parallel' is from 1 to 64.") }
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
            let lines = try LineChannel(running: program)
            do {
                try await LineListener(name, daemon, lines).run(receiving: parallel)
            } catch {
                lines.stop()
                throw error
            }
            return try lines.finish()
        }
        let answer = ProgramAnswer(output, cancelStatus: cancelStatus, outputLimit: ProgramListener.outputLimit)
        let listener = try ProgramListener(name, daemon, program, answer)
        try await withThrowingTaskGroup { group in
            for _ in 0..<parallel { group.addTask { try await listener.run() } }
            // The first error ends the others.
            while try await group.next() != nil {}
        }
    }
}

extension ProgramOutput: ExpressibleByArgument {}
