import Glibc
import XCallbackJSON
import XCallbackLinux
import XCallbackPipeline

/// What the journal of systemd holds of the requests of daemons: of the system's, and of the user's own.
///
/// It is read by journalctl(1), which finds all files of the journal and knows who may read them.
struct Journal {
    /// An entry.
    struct Entry {
        /// Those of its fields that are shown, as `journalctl --output=json` writes them.
        let fields: JSONValue

        init(_ entry: JSONValue) {
            let members = if case .object(let members) = entry { members } else { [JSONValue.Member]() }
            fields = .object(
                members.filter { member in
                    member.name.hasPrefix("XCALLBACK_") || member.name.hasPrefix("__")
                        || Journal.fields.contains(member.name)
                })
        }

        /// Who has written it: the daemon, or a program in its unit, which chooses the name.
        var source: String {
            let isDaemons = [text("_SYSTEMD_UNIT"), text("_SYSTEMD_USER_UNIT")].contains(Journal.daemon)
            return isDaemons ? "xcallbackd" : "program: \(text("SYSLOG_IDENTIFIER") ?? text("_COMM") ?? "?")"
        }

        /// A field that is a text; nil if there is none.
        func text(_ name: String) -> String? { fields[name]?.text }

        /// What people read; control characters of it are escaped where it is shown.
        var message: String {
            let value = fields["MESSAGE"]
            // Bytes are what journalctl makes of a text that is not UTF-8, or has control characters.
            if let bytes = value?.elements?.compactMap({ $0.integer.flatMap { UInt8(exactly: $0) } }) {
                return String(decoding: bytes, as: UTF8.self)
            }
            return value?.text ?? ""
        }

        /// When it was written, since 1970.
        var time: Duration {
            let moment = text("_SOURCE_REALTIME_TIMESTAMP") ?? text("__REALTIME_TIMESTAMP")
            return .microseconds(moment.flatMap { Int64($0) } ?? 0)
        }

        /// The request that it tells of.
        var id: RequestID? { text("XCALLBACK_REQUEST_ID").flatMap { RequestID($0) } }
    }

    /// How many entries are looked at for the last request.
    static let depth = 1_000
    private static let outputLimit = 16 << 20

    /// The unit of a daemon.
    private static let daemon = "xcallbackd.service"
    /// The units of programs begin so.
    private static let programs = ["xcallbackd-run@", "xcallback-program-"]
    /// The fields that are shown besides those with the names of the daemon and of journald itself: none has a value of a
    /// request, as the arguments of a program do (`_CMDLINE`).
    private static let fields: Set = [
        "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER", "_BOOT_ID", "_COMM", "_EXE", "_GID", "_HOSTNAME",
        "_PID", "_SOURCE_REALTIME_TIMESTAMP", "_SYSTEMD_INVOCATION_ID", "_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT",
        "_TRANSPORT", "_UID",
    ]

    /// The daemons whose entries count, by fields that journald itself writes.
    ///
    /// (A program that is a child of the daemon, and not in a unit of its own, has the same.)
    private static var daemons: [[String]] {
        [["_SYSTEMD_UNIT=\(daemon)"], ["_SYSTEMD_USER_UNIT=\(daemon)", "_UID=\(geteuid())"]]
    }

    /// The id of the request that was logged last; nil if the last entries tell of none, or may not be read.
    ///
    /// - Throws: ``Failure`` if there is no journal.
    static func lastID() throws(Failure) -> RequestID? {
        try entries(
            ["--lines=\(depth)", "--reverse", "--output-fields=XCALLBACK_REQUEST_ID"], daemons
        ).lazy.compactMap(\.id).first
    }

    /// What is told of a request, in the order of time: by the daemon, and by the units that it names.
    ///
    /// - Throws: ``Failure`` if there is no journal.
    static func story(of id: RequestID) throws(Failure) -> [Entry] {
        let match = "XCALLBACK_REQUEST_ID=\(id)"
        let told = try entries([], daemons.map { $0 + [match] })
        // What the units of its programs have written, whoever wrote it there.
        let units = Set(told.compactMap { $0.text("XCALLBACK_PROGRAM_UNIT") }).sorted().filter { unit in
            programs.contains { unit.hasPrefix($0) }
        }
        guard let boot = told.first?.text("_BOOT_ID"), !units.isEmpty else { return told }
        let written = units.flatMap { unit in
            [
                ["_SYSTEMD_UNIT=\(unit)", "_BOOT_ID=\(boot)"],
                ["_SYSTEMD_USER_UNIT=\(unit)", "_UID=\(geteuid())", "_BOOT_ID=\(boot)"],
            ]
        }
        return (told + (try entries([], written))).sorted { $0.time < $1.time }
    }

    /// Reads entries that match one of some lists, each in all of its members.
    private static func entries(_ options: [String], _ alternatives: [[String]]) throws(Failure) -> [Entry] {
        let matches = Array(alternatives.joined(separator: ["+"]))
        let run = ToolRun(
            asking: ["journalctl", "--output=json", "--all", "--no-pager", "--quiet"] + options + matches,
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
            (try? JSONValue(parsing: Array(line).span, maximumSize: line.count)).map { Entry($0) }
        }
    }

    /// Whether there is a journal of the system that the user may not read.
    static var isClosed: Bool {
        guard let machine = (try? UserFile(path: "/etc/machine-id").read())?.prefix(32) else { return false }
        let files = ["/var/log/journal", "/run/log/journal"].map { "\($0)/\(machine)/system.journal" }
        return files.contains { access($0, F_OK) == 0 } && !files.contains { access($0, R_OK) == 0 }
    }
}
