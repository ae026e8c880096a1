import ArgumentParser
import Glibc
package import XCallbackAdministration
package import XCallbackClient
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// Shows requests and answers as they arrive.
struct MonitorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show requests and answers as they happen.",
        discussion: """
            Prints one line per event: time, outcome ('waits' while the handler works), duration, origin, user and \
            process of the sender, the id that 'xcallback log' takes, and route; with --values, also the URL and the \
            answer. The daemon's user and root see all requests; other users see their own. If the daemon stops, the \
            command waits for the next one. With several of --route, --peer and --outcome, an event must match all of \
            them.

            Example: xcallback monitor --route notes:/add --outcome error

            Exit status: 0 output closed, 6 no such route, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Show the values in the URLs of your own requests.")
    var values = false

    @Flag(help: "Print one JSON object per line, as the daemon sends them.")
    var json = false

    @Option(help: "Show only requests of this route, by its scheme and pattern.", completion: .live(.route))
    var route: String?

    @Option(help: ArgumentHelp("Show only requests of this user or process.", valueName: "user/pid"))
    var peer: PeerOption?

    @Option(help: "Show only answers with this outcome: success, error, cancel or redirect.")
    var outcome: Response.Kind?

    @OptionGroup var location: SocketOption

    func validate() throws {
        _ = try peer?.userID
    }

    func run(asking daemon: Client) async throws {
        let events = try await ReplyWatch.wait("to show its requests") {
            try await daemon.events(showingValues: values, where: conditions)
        }
        let line = EventLine(isColoured: Terminal.showsColour)
        if !json { try Terminal.print(EventLine.title(showingValues: values)) }
        for try await event in events {
            guard try Terminal.offer(json ? event.json.visibleText : line.text(of: event)) else { return }
        }
    }

    /// The options, as parameters of the call to the daemon.
    private var conditions: [JSONValue.Member] {
        get throws {
            let (userID, processID) = (try peer?.userID, peer?.processID)
            return .init(present: [
                "route": route.map { .string($0) }, "user": userID.map { .number(JSONNumber($0)) },
                "process": processID.map { .number(JSONNumber($0)) }, "outcome": outcome.map { .string($0.rawValue) },
            ])
        }
    }
}

extension Response.Kind: ExpressibleByArgument {}

/// The sender of requests, in the form of `--peer` and of events: `ada`, `1000`, `1000/4711` or `/4711`.
struct PeerOption: ExpressibleByArgument {
    /// The name or number of the user; nil for any.
    let user: String?
    /// The process ID; nil for any.
    let processID: Int32?

    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts[0].isEmpty ? nil : String(parts[0])
        processID = parts.count > 1 ? Int32(parts[1]) : nil
        guard parts.count == 1 ? user != nil : (processID ?? -1) >= 0 else { return nil }
    }

    /// The user ID; nil for any.
    ///
    /// - Throws: `ValidationError` if the user does not exist.
    var userID: UInt32? {
        get throws {
            guard let user else { return nil }
            if let userID = UInt32(user) ?? UserDatabase.userID(named: user) { return userID }
            throw ValidationError("There is no user '\(user)'.")
        }
    }
}

/// Formats an event of the daemon for people: one line, in columns.
package struct EventLine {
    /// The column titles.
    package static func title(showingValues: Bool) -> String {
        let last = showingValues ? "URL AND ANSWER" : "(--values: URL AND ANSWER)"
        return columns(["TIME", "OUTCOME", "TOOK", "ORIGIN", "FROM", "ID", "ROUTE", last])
    }

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
