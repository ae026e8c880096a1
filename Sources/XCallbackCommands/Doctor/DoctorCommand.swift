import ArgumentParser
import XCallbackClient
import XCallbackWire

/// Checks everything that URLs need on their way, and reports problems with remedies.
struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for problems, and print the commands that fix them.",
        discussion: """
            Checks the daemon and its socket, the units of the service manager, and the configuration. For a user's \
            daemon, also checks the desktop, if there is one: its tools, and the application of each scheme. Prints a \
            command for each problem that a command can fix. Changes nothing.

            Example: xcallback doctor

            Exit status: 0 no problems, 1 problems.
            """
    )

    @Option(
        help: ArgumentHelp("Read this configuration instead of the daemon's.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: "Print one JSON object: well, findings; each with check, subject, state, finding, mend, root, advice.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let examination = await Examination(socket: location.socket, config: config)
        var isWell = true
        var findings: [(check: String, finding: Finding)] = []
        // Another user's daemon has files, rights and programs that differ from those of this process.
        let checks = examination.foreignFolder == nil ? DoctorChecks.all : [DaemonCheck.self]
        let absence = examination.desktopAbsence
        for check in checks where absence == nil || !DoctorChecks.ofDesktop.contains(check.name) {
            let found = check.findings(in: examination)
            if found.contains(where: { $0.state == .fault }) { isWell = false }
            findings += found.map { (check.name, $0) }
            if !json { for finding in found { try Terminal.print(finding) } }
        }
        if let absence, examination.foreignFolder == nil {
            let finding = Finding(.skipped, of: "desktop", "the desktop was not checked: \(absence)")
            findings.append(("desktop", finding))
            if !json { try Terminal.print(finding) }
        }
        if json {
            let list = findings.map { $0.finding.json(of: $0.check) }
            try Terminal.print(["well": .bool(isWell), "findings": .array(list)] as JSONValue)
        } else if let scheme = examination.owners.first(where: \.isOurs) {
            try Terminal.print(OwnerReport(scheme, in: .current))
        }
        if !isWell { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}
