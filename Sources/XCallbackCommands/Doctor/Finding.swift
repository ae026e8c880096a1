import XCallbackJSON
import XCallbackLinux

/// What a check has found out about one thing.
struct Finding: CustomStringConvertible {
    /// How it is.
    enum State: String {
        case good, note, fault, skipped
    }

    /// A command that puts it right.
    struct Mend {
        /// The command, as a shell takes it.
        let command: String
        /// Whether it needs root's rights, which the caller does not have.
        var needsRoot = false
    }

    /// What was looked at, such as a path or the name of a unit.
    let subject: String
    let state: State
    /// What was found, or why it was not looked at.
    let text: String
    let mend: Mend?
    /// What to do, where a command is not enough.
    let advice: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - state: How it is.
    ///   - subject: What was looked at.
    ///   - text: What was found.
    ///   - mend: The command that puts it right.
    ///   - advice: What to do besides, or instead.
    init(_ state: State, of subject: String, _ text: String, mend: Mend? = nil, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.mend = mend
        self.advice = advice
    }

    /// Creates a fault of a failure, whose first line is what is wrong.
    ///
    /// - Parameters:
    ///   - subject: What was looked at.
    ///   - failure: What is wrong and, on lines of its own, what to do.
    ///   - mend: The command that puts it right.
    init(of subject: String, _ failure: Failure, mend: Mend? = nil) {
        let lines = failure.message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            .fault, of: subject, String(lines[0]), mend: mend, advice: lines.dropFirst().first.map(String.init))
    }

    /// A line, and more for what to do.
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

    /// The finding for programs.
    ///
    /// - Parameter check: The name of the check that has made it.
    /// - Returns: An object.
    func json(of check: String) -> JSONValue {
        [
            "check": .string(check), "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(text), "mend": mend.map { .string($0.command) } ?? .null,
            "root": .bool(mend?.needsRoot ?? false), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}

extension Finding.Mend {
    /// A command to a service manager.
    init(_ command: String, in scope: ManagerScope) {
        self.init(command: command, needsRoot: scope.needsRoot)
    }
}
