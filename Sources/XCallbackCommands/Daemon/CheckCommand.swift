import ArgumentParser
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// Checks a configuration and prints its faults.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report faults and warnings of the configuration.",
        discussion: """
            Faults keep the daemon from serving a configuration. Warnings do not: they report a route that never \
            answers, a program that is missing or that a web page can run, and other likely mistakes. Without FILE, \
            a running daemon checks what it would load, because it has its own PATH, rights and credentials. Otherwise \
            what only the daemon can see is reported as 'not checked here'.

            Example: xcallback check && xcallback reload

            Exit status: 0 valid, 78 faults. Faults, warnings and what was not checked are printed on standard error.
            """
    )

    @Argument(
        help: "A configuration that no daemon reads yet. Default: the one that the daemon reads.",
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
        let checked = try self.checked()
        if json { try Terminal.print(checked.json) } else { try print(checked) }
        if checked.findings.error != nil { throw ExitCode(ExitStatus.configuration.rawValue) }
    }

    private func checked() throws -> CheckedConfiguration {
        if let name = file ?? config { return CheckedConfiguration(of: ConfigurationPlaces(of: name)) }
        let location = location
        let result = Mutex<CheckedConfiguration?>(nil)
        try waitFor {
            let checked = await CheckedConfiguration(servedAt: location)
            result.withLock { $0 = checked }
        }
        return result.withLock { $0 } ?? CheckedConfiguration(of: ConfigurationPlaces(of: nil))
    }

    private func print(_ checked: CheckedConfiguration) throws {
        let findings = checked.findings
        if let file = checked.otherFile {
            Terminal.printError("xcallback: checking \(file.withVisibleControls), which the daemon reads")
        }
        if let error = findings.error { return Terminal.printError(error.textWithWarnings) }
        if let refusal = checked.refusal {
            Terminal.printError("xcallback: cannot ask the daemon: \(refusal.withVisibleControls)")
        }
        for notes in [findings.warnings, findings.leftUnchecked] where !notes.isEmpty { Terminal.printError(notes) }
        try Terminal.print(findings.summary)
    }
}

extension CheckedConfiguration {
    /// The findings as a JSON object.
    fileprivate var json: JSONValue {
        [
            "valid": .bool(findings.error == nil), "routes": .number(JSONNumber(findings.routeCount)),
            "faults": .array(findings.error?.faults.map(\.json) ?? []),
            "warnings": .array(findings.warnings.warnings.map(\.json)),
            "unchecked": .array(findings.leftUnchecked.warnings.map(\.json)), "daemon": .bool(isOfDaemon),
            "refusal": refusal.map { .string($0) } ?? .null, "reads": otherFile.map { .string($0) } ?? .null,
        ]
    }
}
