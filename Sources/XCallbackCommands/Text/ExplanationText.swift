import XCallbackClient
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

/// An explanation for people.
struct ExplanationText {
    /// The explanation.
    let explanation: Client.Explanation
    /// The user ID of the reader.
    let askerID: UInt32

    private var sender: String {
        let peer = explanation.peer
        return (peer.userID == askerID ? "you" : "user \(peer.userID)") + " (\(explanation.origin.rawValue))"
    }

    /// The lines of a section about the callback of each outcome; an asterisk marks the expected one.
    private var answers: [[String]] {
        explanation.answers.map { answer in
            let isExpected = explanation.response?.kind.rawValue == answer.outcome
            let rest =
                switch (answer.outcome, answer.isComplete) {
                case (_, true): ""
                case ("error", false): " (and errorCode, errorMessage)"
                case (_, false): " (and what the handler adds)"
                }
            return ["\(isExpected ? "*" : " ") \(answer.outcome)", answer.url + rest]
        }
    }

    /// The outcome of the request, in a few words.
    private var ending: String {
        guard let response = explanation.response else { return "open: depends on a stage" }
        return response.text + (explanation.isCertain ? "" : ", unless an open stage ends the request")
    }
}

extension ExplanationText: CustomStringConvertible {
    /// The lines, without a final line feed.
    var description: String {
        var lines = TextTable([["URL", explanation.url], ["from", sender]]).lines
        for (index, hop) in explanation.hops.enumerated() {
            if index > 0 { lines += ["", "redirected to \(hop.url)"] }
            lines += hop.lines
        }
        if !explanation.hints.isEmpty { lines += ["", "hints"] + explanation.hints.map { "  \($0)" } }
        lines += ["", "ends in", "  \(ending)", "answers"] + TextTable(answers).lines
        return lines.map(\.withVisibleControls).joined(separator: "\n")
    }
}

extension Client.Explanation.Hop {
    /// The number of routes shown; the following ones are less similar.
    private static let shownCount = 10

    /// The lines for one URL.
    fileprivate var lines: [String] {
        var lines = ["action  \(action)", "", "routes"]
        lines += TextTable(candidates.prefix(Self.shownCount).map(\.cells)).lines
        if candidates.isEmpty { lines.append("  none for this URL") }
        let restCount = omittedCount + candidates.dropFirst(Self.shownCount).count
        if restCount > 0 { lines.append("  and \(restCount) more, not closer") }
        if !captures.isEmpty { lines += ["captures"] + captures.lines }
        if !stages.isEmpty { lines += ["stages"] + stages.flatMap(\.lines) }
        if let parameters, !parameters.isEmpty { lines += ["parameters"] + parameters.lines }
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
    /// The verdict, then the details.
    fileprivate var lines: [String] {
        let verdict =
            switch (verdict, response) {
            case (.ends, let response?):
                "\(kind == .policy || kind == .input ? "refuses" : "answers"): \(response.text)"
            case (.open, _): "open"
            case (.proceeds, _), (.ends, nil): kind == .policy ? "verified" : "goes on"
            }
        let title = kind.rawValue == name ? name : "\(kind.rawValue) \(name)"
        let command = self.command.map { ["would run: " + $0.map(\.shellWord).joined(separator: " ")] } ?? []
        let details = changes + notes + command
        return ["  \(title): \(verdict)"] + details.map { "    \($0)" }
    }
}

extension QueryItems {
    fileprivate var lines: [String] {
        map { item in "  \(item.name)" + (item.value.map { " = \($0)" } ?? "") }
    }
}

extension Response {
    /// The response in a few words.
    fileprivate var text: String {
        switch self {
        case .success: "success"
        case .error(let error): "error \(error.code.rawValue): \(error.message)"
        case .cancel: "cancel"
        case .redirect(let target): "redirect to \(target.text)"
        }
    }
}
