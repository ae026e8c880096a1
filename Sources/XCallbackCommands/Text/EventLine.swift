package import XCallbackClient

/// How an event of the daemon is shown to people: one line, in columns.
package struct EventLine {
    /// The names of the columns.
    package static let title = Self.columns(
        ["TIME", "OUTCOME", "TOOK", "BY", "ORIGIN", "FROM", "ROUTE", "URL AND ANSWER"])

    private static let widths = [12, 9, 6, 7, 8, 12, 24]

    private let isColoured: Bool

    /// Creates a style.
    package init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// The line of an event, without its end.
    package func text(of event: Client.Event) -> String {
        let time = event.time.clockText
        if event.kind == .missed {
            guard let count = event.missedCount else { return "\(time)  the daemon was restarted" }
            return "\(time)  \(count) events were lost: this reader is too slow"
        }
        let peer = event.peer.map { "\($0.userID)/\($0.processID)" } ?? "-"
        let urls = [event.url, event.answer].compactMap { $0 }.joined(separator: " -> ")
        let cells = [
            time, Self.outcome(of: event), event.duration?.shortText ?? "-", event.author?.rawValue ?? "-",
            event.origin?.rawValue ?? "-", peer, event.route ?? "-", urls,
        ]
        let line = Self.columns(cells.map(\.withVisibleControls))
        guard isColoured, let colour = Self.colour(of: event) else { return line }
        return "\u{1B}[\(colour)m\(line)\u{1B}[m"
    }

    /// A cell that is too long takes room from those that follow, so that the last columns stay in line if they can.
    private static func columns(_ cells: [String]) -> String {
        var (line, end) = ("", 0)
        for (cell, width) in zip(cells, widths) {
            line = (line + cell).padded(to: end + width) + "  "
            end += width + 2
        }
        return line + (cells.last ?? "")
    }

    private static func outcome(of event: Client.Event) -> String {
        if event.kind == .request { return "waits" }
        return [event.outcome, event.code.map { "\($0)" }].compactMap { $0 }.joined(separator: " ")
    }

    /// Red for what the daemon has refused or a handler got wrong, yellow for a cancel, faint for what is not done.
    private static func colour(of event: Client.Event) -> String? {
        if event.kind == .request { return "2" }
        return switch event.outcome {
        case "error": "31"
        case "cancel": "33"
        default: nil
        }
    }
}
