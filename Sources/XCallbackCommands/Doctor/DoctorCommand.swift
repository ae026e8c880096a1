import ArgumentParser
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// Checks everything that URLs need on their way, and reports problems with remedies.
struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems, and print the commands that help.",
        discussion: """
            Checks the daemon with its socket and its units, the configuration, and the programs of the routes. For a \
            user's daemon, also checks the desktop, if there is one: its tools, and the application of each scheme. \
            FAULT marks what keeps an action from working. Prints a command for each problem that a command can fix. \
            Changes nothing.

            Example: xcallback doctor

            Exit status: 0 no FAULT, 1 at least one.
            """
    )

    @Option(
        help: ArgumentHelp("Read this configuration instead of the daemon's.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: "Print one JSON object: well, findings; each with check, subject, state, finding, fix, root, advice.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let examination = await Examination(socket: location.socket, config: config)
        let findings = examination.findings
        let isWell = !findings.contains { $0.state == .fault }
        if json {
            try Terminal.print(["well": .bool(isWell), "findings": .array(findings.map(\.json))] as JSONValue)
        } else {
            for finding in findings { try Terminal.print(finding) }
            if let scheme = examination.owners.first(where: \.isOurs) {
                try Terminal.print(OwnerReport(scheme, in: .current))
            }
        }
        if !isWell { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}

/// The result of a check for one subject.
struct Finding: CustomStringConvertible {
    /// The severity.
    enum State: String {
        case good, note, fault, skipped
    }

    /// A command that fixes the problem.
    struct Fix {
        /// The command, quoted for a shell.
        let command: String
        /// Whether it needs root privileges, which the caller lacks.
        var needsRoot = false

        init(_ command: String, needsRoot: Bool = false) {
            self.command = command
            self.needsRoot = needsRoot
        }

        /// Creates a command for a service manager.
        init(_ command: String, in scope: ManagerScope) {
            self.init(command, needsRoot: scope.needsRoot)
        }

        /// The command as part of a sentence.
        var words: String { "run\(needsRoot ? " as root" : "") '\(command)'" }
    }

    /// The name of the check in JSON output.
    var check = ""
    /// The subject, such as a path or the name of a unit.
    let subject: String
    let state: State
    /// The result, or the reason why the subject was not checked.
    let text: String
    let fix: Fix?
    /// Advice for problems that a command alone does not fix, in lines.
    let advice: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - state: The severity.
    ///   - subject: The checked subject.
    ///   - text: The result.
    ///   - fix: The command that fixes the problem.
    ///   - advice: Advice in addition to the command, or instead of it.
    init(_ state: State, of subject: String, _ text: String, fix: Fix? = nil, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.fix = fix
        self.advice = advice
    }

    /// Creates a fault from a failure, whose first line is the problem.
    init(of subject: String, _ failure: Failure) {
        let lines = failure.message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(.fault, of: subject, String(lines[0]), advice: lines.dropFirst().first.map(String.init))
    }

    /// Creates a finding from a fault of a configuration, whose message can end with a command.
    init(_ state: State, _ fault: Fault, advice: String? = nil) {
        let subject = "\(fault.place)"
        let text = "\(subject): \(fault.message)"
        if text.hasSuffix("'"), let start = text.ranges(of: ": run '").last {
            self.init(
                state, of: subject, String(text[..<start.lowerBound]),
                fix: Fix(String(text[start.upperBound...].dropLast())), advice: advice)
        } else {
            self.init(state, of: subject, text, advice: advice)
        }
    }

    /// One line, and more for the remedy.
    var description: String {
        let mark =
            switch state {
            case .good: "ok   "
            case .note: "note "
            case .fault: "FAULT"
            case .skipped: "-    "
            }
        let help = (fix.map { ["run\($0.needsRoot ? " as root" : ""): \($0.command)"] } ?? []) + (advice?.lines ?? [])
        return (["\(mark) \(text.withVisibleControls)"] + help.map { "      \($0.withVisibleControls)" })
            .joined(separator: "\n")
    }

    /// The finding as a JSON object.
    var json: JSONValue {
        [
            "check": .string(check), "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(text), "fix": fix.map { .string($0.command) } ?? .null,
            "root": .bool(fix?.needsRoot ?? false), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
