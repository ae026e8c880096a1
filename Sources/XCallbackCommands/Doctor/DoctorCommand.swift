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

/// The result of a check for one subject.
struct Finding: CustomStringConvertible {
    enum State: String {
        case good, note, fault, skipped

        fileprivate var mark: String {
            switch self {
            case .good: "ok   "
            case .note: "note "
            case .fault: "FAULT"
            case .skipped: "-    "
            }
        }
    }

    /// A command that fixes the problem, quoted for a shell.
    struct Fix {
        let command: String
        /// Whether it needs root privileges, which the caller lacks.
        let needsRoot: Bool

        init(_ command: String, needsRoot: Bool = false) {
            self.command = command
            self.needsRoot = needsRoot
        }
    }

    /// The subject, such as a path or the name of a unit.
    let subject: String
    let state: State
    let text: String
    let fix: Fix?
    /// Advice in addition to the command, or instead of it, in lines.
    let advice: String?

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
        guard text.hasSuffix("'"), let start = text.ranges(of: ": run '").last else {
            self.init(state, of: subject, text, advice: advice)
            return
        }
        let fix = Fix(String(text[start.upperBound...].dropLast()))
        self.init(state, of: subject, String(text[..<start.lowerBound]), fix: fix, advice: advice)
    }

    /// One line, and more for the remedy.
    var description: String {
        let command = fix.map { ["run\($0.needsRoot ? " as root" : ""): \($0.command)"] } ?? []
        let help = command + (advice?.split(separator: "\n").map(String.init) ?? [])
        return (["\(state.mark) \(text.withVisibleControls)"] + help.map { "      \($0.withVisibleControls)" })
            .joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(text), "fix": fix.map { .string($0.command) } ?? .null,
            "root": .bool(fix?.needsRoot ?? false), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}
