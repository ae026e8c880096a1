import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// Prints all journal entries of one request.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the journal's entries about one request.",
        discussion: """
            A request has an id: 'xcallback open --json' and 'xcallback monitor --json' show it, a program has it as \
            $XCALLBACK_REQUEST_ID, and each journal entry about the request has it as XCALLBACK_REQUEST_ID. Prints the \
            entries of the daemon, one line each, which contain no values. If the program of the request had a unit, a \
            last line has the command that shows what it has written there.

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
        let conditions = JournalEntry.daemons.map { $0 + ["XCALLBACK_REQUEST_ID=\(id)"] }
        let entries = try JournalEntry.read([], conditions).sorted { $0.time < $1.time }
        if entries.isEmpty { throw failure("the journal has no entries about the request \(id)") }
        if json { return try Terminal.print(entries.map(\.json.visibleText).joined(separator: "\n")) }
        let rows = entries.map { [$0.time.clockText, $0.message] }
        let commands = Set(entries.compactMap(\.commandForUnit)).sorted().map { "What its program wrote: \($0)" }
        try Terminal.print(["request \(id)", TextTable(rows).text].joined(separator: "\n"))
        for command in commands { try Terminal.print(command) }
    }

    /// Returns the id of the last logged request; nil if the last entries name none, or the user may not read them.
    private func lastID() throws(Failure) -> RequestID? {
        let options = ["--lines=\(Self.depth)", "--reverse", "--output-fields=XCALLBACK_REQUEST_ID"]
        let entries = try JournalEntry.read(options, JournalEntry.daemons)
        return entries.lazy.compactMap { $0["XCALLBACK_REQUEST_ID"].flatMap { RequestID($0) } }.first
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

    /// The command that shows what was written in the unit of the request's program; nil if it had none.
    var commandForUnit: String? {
        guard let unit = self["XCALLBACK_PROGRAM_UNIT"], let boot = self["_BOOT_ID"] else { return nil }
        let option = self["_SYSTEMD_UNIT"] == Self.daemon ? "--unit" : "--user-unit"
        return "journalctl --boot=\(boot) \(option)=\(unit.shellWord)"
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
