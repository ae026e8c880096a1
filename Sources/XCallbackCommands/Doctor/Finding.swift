import XCallbackLinux
import XCallbackWire

/// The result of a check for one subject.
struct Finding: CustomStringConvertible {
    /// The severity.
    enum State: String {
        case good, note, fault, skipped
    }

    /// A command that fixes the problem.
    struct Mend {
        /// The command, quoted for a shell.
        let command: String
        /// Whether it needs root privileges, which the caller lacks.
        var needsRoot = false
    }

    /// The subject, such as a path or the name of a unit.
    let subject: String
    let state: State
    /// The result, or the reason why the subject was not checked.
    let text: String
    let mend: Mend?
    /// Advice for problems that a command alone does not fix.
    let advice: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - state: The severity.
    ///   - subject: The checked subject.
    ///   - text: The result.
    ///   - mend: The command that fixes the problem.
    ///   - advice: Advice in addition to the command, or instead of it.
    init(_ state: State, of subject: String, _ text: String, mend: Mend? = nil, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.mend = mend
        self.advice = advice
    }

    /// Creates a fault from a failure, whose first line is the problem.
    ///
    /// - Parameters:
    ///   - subject: The checked subject.
    ///   - failure: The problem, and advice on separate lines.
    ///   - mend: The command that fixes the problem.
    init(of subject: String, _ failure: Failure, mend: Mend? = nil) {
        let lines = failure.message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            .fault, of: subject, String(lines[0]), mend: mend, advice: lines.dropFirst().first.map(String.init))
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
        var lines = ["\(mark) \(text.withVisibleControls)"]
        if let mend {
            lines.append("      run\(mend.needsRoot ? " as root" : ""): \(mend.command.withVisibleControls)")
        }
        if let advice { lines.append("      \(advice.withVisibleControls)") }
        return lines.joined(separator: "\n")
    }

    /// Returns the finding as JSON.
    ///
    /// - Parameter check: The name of the check.
    /// - Returns: A JSON object.
    func json(of check: String) -> JSONValue {
        [
            "check": .string(check), "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(text), "mend": mend.map { .string($0.command) } ?? .null,
            "root": .bool(mend?.needsRoot ?? false), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}

extension Finding.Mend {
    /// Creates a command for a service manager.
    init(_ command: String, in scope: ManagerScope) {
        self.init(command: command, needsRoot: scope.needsRoot)
    }
}
