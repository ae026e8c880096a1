package import XCallbackAdministration
package import XCallbackClient

/// Formats an event of the daemon for people: one line, in columns.
package struct EventLine {
    /// The column titles.
    package static let title = Self.columns(
        ["TIME", "OUTCOME", "TOOK", "ORIGIN", "FROM", "ID", "ROUTE", "URL AND ANSWER"])

    private static let widths = [12, 9, 6, 7, 12, 12, 20]

    private let isColoured: Bool

    /// Creates a style.
    package init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Returns the line of an event, without its ending.
    package func text(of event: Client.Event) -> String {
        let time = event.time.clockText
        if event.kind == .missed {
            guard let count = event.missedCount else { return "\(time)  the daemon was restarted" }
            return "\(time)  \(count) events were lost: this reader is too slow"
        }
        let peer = event.peer.map { "\($0.userID)/\($0.processID)" } ?? "-"
        let urls = [event.url, event.answer].compactMap { $0 }.joined(separator: " -> ")
        let cells = [
            time, Self.outcome(of: event), event.duration?.shortText ?? "-", event.origin?.rawValue ?? "-", peer,
            event.id ?? "-", event.route ?? "-", urls,
        ]
        let line = Self.columns(cells.map(\.withVisibleControls))
        guard isColoured, let colour = Self.colour(of: event) else { return line }
        return "\u{1B}[\(colour)m\(line)\u{1B}[m"
    }

    /// A cell that is too long takes room from the following ones, so that the last columns stay aligned if possible.
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

    /// Red for rejections by the daemon and errors of a handler, yellow for a cancel, faint for requests not performed.
    private static func colour(of event: Client.Event) -> String? {
        if event.kind == .request { return "2" }
        return switch event.outcome {
        case "error": "31"
        case "cancel": "33"
        default: nil
        }
    }
}
