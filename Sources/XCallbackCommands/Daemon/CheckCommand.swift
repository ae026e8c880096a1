import ArgumentParser
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackJSON
import XCallbackLinux

/// Checks a configuration and prints its faults.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report faults and warnings of a configuration.",
        discussion: """
            Faults keep the daemon from serving a configuration. Warnings do not: they report a route that never \
            answers, a program that is missing or that a web page can run, and other likely mistakes. If the daemon \
            runs, the command asks it, because it has its own PATH, rights and credentials. If not, what only the daemon \
            can check is reported as 'not checked here'.

            Example: xcallback check && xcallback reload

            Exit status: 0 valid, 78 faults. Faults, warnings and what was not checked are printed on standard error.
            """
    )

    @Argument(
        help: "The configuration. Default: the one that the daemon reads.",
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("The same as FILE, for consistency with other commands.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: """
            Print one JSON object on standard output: valid, routes, faults, warnings, unchecked, daemon, refusal, reads.
            """)
    var json = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if file != nil, config != nil { throw ValidationError("Give one configuration: FILE or '--config FILE'.") }
    }

    func run() throws {
        let (name, location) = (file ?? config, location)
        let result = Mutex<ConfigurationExamination?>(nil)
        try waitFor {
            let daemon = AskedDaemon(location)
            let examination =
                if let name {
                    await ConfigurationExamination(of: ConfigurationPlaces(of: name), asking: daemon)
                } else {
                    await ConfigurationExamination(servedBy: daemon)
                }
            result.withLock { $0 = examination }
        }
        guard let examination = result.withLock({ $0 }) else { return }
        if json { try Terminal.print(examination.json) } else { try print(examination) }
        if examination.findings.error != nil { throw ExitCode(ExitStatus.configuration.rawValue) }
    }

    private func print(_ examination: ConfigurationExamination) throws {
        let findings = examination.findings
        if let file = examination.otherFile {
            Terminal.printError("xcallback: checking \(file.withVisibleControls), which the daemon reads")
        } else if examination.isGuess {
            Terminal.printError(
                "xcallback: only the daemon's user and root see its files: it may read other files than these")
        }
        if let error = findings.error { return Terminal.printError(error.text(before: findings.warnings)) }
        if let refusal = examination.refusal {
            Terminal.printError("xcallback: cannot ask the daemon: \(refusal.withVisibleControls)")
        }
        for notes in [findings.warnings, findings.leftUnchecked] where !notes.isEmpty { Terminal.printError(notes) }
        try Terminal.print(findings.summary)
    }
}

extension ConfigurationExamination {
    /// The findings as a JSON object.
    fileprivate var json: JSONValue {
        [
            "valid": .bool(findings.error == nil), "routes": .number(JSONNumber(findings.routeCount)),
            "faults": .array(findings.error?.faults.map(\.json) ?? []),
            "warnings": .array(findings.warnings.warnings.map(\.json)),
            "unchecked": .array(findings.leftUnchecked.warnings.map(\.json)), "daemon": .bool(isToldByDaemon),
            "refusal": refusal.map { .string($0) } ?? .null, "reads": otherFile.map { .string($0) } ?? .null,
        ]
    }
}
