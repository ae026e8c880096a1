import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

/// An explanation for people.
struct ExplanationText {
    /// The explanation.
    let explanation: Client.Explanation
}

extension ExplanationText: CustomStringConvertible {
    /// The lines, without a final line feed: the result first.
    var description: String {
        let code = explanation.code.map { " (\($0.rawValue))" } ?? ""
        var lines = ["\(explanation.result)\(code)", ""]
        lines += TextTable([["URL", explanation.url], ["from", explanation.origin.sender]]).lines
        for (index, hop) in explanation.hops.enumerated() {
            if index > 0 { lines += ["", "redirected to \(hop.url)"] }
            lines += hop.lines
        }
        if !explanation.hints.isEmpty { lines += ["", "hints"] + explanation.hints.map { "  \($0)" } }
        return lines.map(\.withVisibleControls).joined(separator: "\n")
    }
}

extension Origin {
    /// Who sends a request of this origin, for people.
    fileprivate var sender: String {
        switch self {
        case .socket: "you"
        case .desktop: "a link or a web page"
        case .agent: "an assistant"
        case .internal: "the daemon"
        }
    }
}

extension Client.Explanation.Hop {
    /// The number of routes shown; the following ones are less similar.
    private static let shownCount = 10

    /// The lines for one URL.
    fileprivate var lines: [String] {
        var lines = ["action  \(action)", "routes"]
        lines += TextTable(candidates.prefix(Self.shownCount).map(\.cells)).lines
        if candidates.isEmpty { lines.append("  none for this URL") }
        let restCount = omittedCount + candidates.dropFirst(Self.shownCount).count
        if restCount > 0 { lines.append("  and \(restCount) more, not closer") }
        if !captures.isEmpty { lines += ["captures"] + captures.map { "  \($0.name) = \($0.value ?? "")" } }
        if !stages.isEmpty { lines += ["stages"] + stages.flatMap(\.lines) }
        return lines
    }
}

extension Client.Explanation.Candidate {
    fileprivate var cells: [String] {
        let text =
            switch verdict {
            case .answers: "answers" + (place.map { " (\($0))" } ?? "")
            case .outranked: "matches, but \(reason ?? "")"
            case .differs: "no: \(reason ?? "")"
            }
        return ["  \(route)", text]
    }
}

extension Client.Explanation.Stage {
    /// The name with the note, then the command.
    fileprivate var lines: [String] {
        let title = kind.rawValue == name ? name : "\(kind.rawValue) \(name)"
        let command = self.command.map { ["    " + $0.map(\.shellWord).joined(separator: " ")] } ?? []
        return ["  \(title)" + (note.map { ": \($0)" } ?? "")] + command
    }
}
