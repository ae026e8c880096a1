import ArgumentParser
import Glibc
import XCallbackLinux
import XCallbackPipeline
import XCallbackWire

/// Prints all journal entries of one request.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the journal's entries about one request: its sender, its program and its outcome.",
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
        let entries = try story(of: id)
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
    private func story(of id: RequestID) throws(Failure) -> [JournalEntry] {
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
        let readers =
            geteuid() == 0
            ? "only that user can find entries of a user's daemon"
            : "only root and the group 'systemd-journal' can read entries of the system's daemon"
        return Failure(
            .errorAnswer,
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
            throw Failure(.errorAnswer, "the journal has more than 16 MiB about the request: use 'journalctl' instead")
        case .exited: break
        case .running: throw Failure(.errorAnswer, "the journal did not answer within a minute")
        case .notStarted(let reason):
            throw Failure(.errorAnswer, "cannot run journalctl to read the journal: \(reason)")
        }
        return run.output.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let entry = try? JSONValue(parsing: Array(line).span, maximumSize: line.count) else { return nil }
            return JournalEntry(json: .object((entry.members ?? []).filter { !$0.name.hasSuffix("CMDLINE") }))
        }
    }
}
