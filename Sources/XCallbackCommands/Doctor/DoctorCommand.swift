import ArgumentParser
import XCallbackClient
import XCallbackWire

/// Checks everything that URLs need on their way, and reports problems with remedies.
struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems, and print the commands that help.",
        discussion: """
            Checks the daemon with its units, the configuration, the programs of the routes, and what assistants \
            reach. For a user's daemon, also checks the desktop, if there is one: its tools, and the application of \
            each scheme. FAULT marks what keeps an action from working. Prints a command for each problem that a \
            command can fix. Changes nothing.

            Example: xcallback doctor

            Exit status: 0 no FAULT, 1 at least one.
            """
    )

    @Option(
        help: ArgumentHelp("Read this configuration instead of the daemon's.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: "Print one JSON object: well, findings; each with subject, state, finding, fix, root, advice.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let findings = await Examination(socket: location.socket, config: config).findings
        let isWell = !findings.contains { $0.state == .fault }
        if json {
            try Terminal.print(["well": .bool(isWell), "findings": .array(findings.map(\.json))] as JSONValue)
        } else {
            for finding in findings { try Terminal.print(finding) }
        }
        if !isWell { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}
