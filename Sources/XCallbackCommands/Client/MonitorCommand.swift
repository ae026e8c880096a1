import ArgumentParser
import Glibc
package import XCallbackAdministration
package import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackWire

/// Shows requests and answers as they arrive.
struct MonitorCommand: DaemonCommand {
    /// The outcome of a request.
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

/// The sender of requests, in the form of `--peer` and of events: `ada`, `1000`, `1000/4711` or `/4711`.
extension Response.Kind: ExpressibleByArgument {}

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

/// Prints all journal entries of one request.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the journal's entries about one request.",
        discussion: """
            A request has an id: 'xcallback open --json' and 'xcallback monitor --json' show it, a program has it as \
            $XCALLBACK_REQUEST_ID, and each journal entry about the request has it as XCALLBACK_REQUEST_ID. Prints the \
            entries of the daemon and the output of the program's unit ('program:' and its name), one line each, in \
            order of time. The daemon's entries contain no values.

            Finds requests of the system's daemon and of your own. A daemon that was started by hand has no journal \
            entries: it writes to standard error.

            Example: xcallback log

            Exit status: 0 found, 1 no entries in the journal, or not allowed to read them; 64 usage.
            """
    )

    @Argument(help: "The id of the request, such as 7h3kq2vd-41. Default: the request that was logged last.")
    var id: String?

    @Flag(help: "Print one JSON object per entry, like journalctl(1).")
    var json = false

    /// The number of latest entries that are searched for the last request.
    private static let depth = 1_000

    func validate() throws {
        if let id, RequestID(id) == nil {
            throw ValidationError("'\(id)' is not a request id: expected an id such as 7h3kq2vd-41.")
        }
    }

    func run() throws {
        guard let id = try id.flatMap({ RequestID($0) }) ?? lastID() else {
            throw failure("the last \(Self.depth) journal entries of daemons mention no request")
        }
        let entries = try self.entries(about: id)
        if entries.isEmpty { throw failure("the journal has no entries about the request \(id)") }
        if json { return try Terminal.print(entries.map(\.json.visibleText).joined(separator: "\n")) }
        let rows = entries.map { [$0.time.clockText, $0.source, $0.message] }
        try Terminal.print("request \(id)\n\(TextTable(rows).text)")
    }

    /// Returns the id of the last logged request; nil if the last entries name none, or the user may not read them.
    private func lastID() throws(Failure) -> RequestID? {
        let options = ["--lines=\(Self.depth)", "--reverse", "--output-fields=XCALLBACK_REQUEST_ID"]
        let entries = try JournalEntry.read(options, JournalEntry.daemons)
        return entries.lazy.compactMap { $0["XCALLBACK_REQUEST_ID"].flatMap { RequestID($0) } }.first
    }

    /// Returns the entries of the daemon about a request, and all that was written in the units of its programs, in order
    /// of time.
    private func entries(about id: RequestID) throws(Failure) -> [JournalEntry] {
        let told = try JournalEntry.read([], JournalEntry.daemons.map { $0 + ["XCALLBACK_REQUEST_ID=\(id)"] })
        let units = Set(told.compactMap { $0["XCALLBACK_PROGRAM_UNIT"] }).filter { unit in
            unit.hasPrefix("xcallbackd-run@") || unit.hasPrefix("xcallback-")
        }
        guard let boot = told.first?["_BOOT_ID"], !units.isEmpty else { return told }
        let written = units.sorted().flatMap { unit in
            [
                ["_SYSTEMD_UNIT=\(unit)", "_BOOT_ID=\(boot)"],
                ["_SYSTEMD_USER_UNIT=\(unit)", "_UID=\(geteuid())", "_BOOT_ID=\(boot)"],
            ]
        }
        return (told + (try JournalEntry.read([], written))).sorted { $0.time < $1.time }
    }

    /// Returns the reason why there is nothing to print, with a remedy.
    private func failure(_ reason: String) -> Failure {
        if access("/run/systemd/journal", F_OK) != 0 {
            return Failure("\(reason): there is no journal here, so the daemon writes its log to standard error")
        }
        let readers =
            geteuid() == 0
            ? "only that user can find entries of a user's daemon"
            : "only root and the group 'systemd-journal' can read entries of the system's daemon"
        return Failure(
            "\(reason): successes are logged only with 'log: { level: debug }' in the configuration, by routes with the "
                + "middleware 'log'; \(readers)")
    }
}

/// An entry of the journal, which journalctl(1) reads: it finds all files and enforces who may read them.
private struct JournalEntry {
    private static let daemon = "xcallbackd.service"
    private static let outputLimit = 16 << 20

    /// Conditions for the entries of daemons, on fields that journald itself writes.
    static var daemons: [[String]] {
        [["_SYSTEMD_UNIT=\(daemon)"], ["_SYSTEMD_USER_UNIT=\(daemon)", "_UID=\(geteuid())"]]
    }

    /// The fields, without the arguments of the process, which can contain values of a request.
    let json: JSONValue

    /// Returns a field that is a text; nil if missing.
    subscript(name: String) -> String? { json[name]?.text }

    /// The time of the entry, since 1970.
    var time: Duration {
        let time = self["_SOURCE_REALTIME_TIMESTAMP"] ?? self["__REALTIME_TIMESTAMP"]
        return .microseconds(time.flatMap { Int64($0) } ?? 0)
    }

    /// The writer: the daemon, or a program in its unit, which chooses its own name.
    var source: String {
        let isDaemons = [self["_SYSTEMD_UNIT"], self["_SYSTEMD_USER_UNIT"]].contains(Self.daemon)
        return isDaemons ? "xcallbackd" : "program: \(self["SYSLOG_IDENTIFIER"] ?? self["_COMM"] ?? "?")"
    }

    /// The message; journalctl writes it as bytes if it is not UTF-8 or has control characters.
    var message: String {
        let bytes = json["MESSAGE"]?.elements?.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? self["MESSAGE"] ?? ""
    }

    /// Reads the entries that meet all conditions of at least one list.
    static func read(_ options: [String], _ alternatives: [[String]]) throws(Failure) -> [JournalEntry] {
        let conditions = Array(alternatives.joined(separator: ["+"]))
        let run = ToolRun(
            asking: ["journalctl", "--output=json", "--all", "--no-pager", "--quiet"] + options + conditions,
            limit: .seconds(60), atMost: outputLimit)
        switch run.ending {
        case .exited where run.output.utf8.count >= outputLimit:
            throw Failure("the journal has more than 16 MiB about the request: use 'journalctl' instead")
        case .exited: break
        case .running: throw Failure("the journal did not answer within a minute")
        case .notStarted(let reason):
            throw Failure("cannot run journalctl to read the journal: \(reason)")
        }
        return run.output.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let entry = try? JSONValue(parsing: Array(line).span, maximumSize: line.count) else { return nil }
            return JournalEntry(json: .object((entry.members ?? []).filter { !$0.name.hasSuffix("CMDLINE") }))
        }
    }
}
