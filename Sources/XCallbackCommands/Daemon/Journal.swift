import Glibc
import XCallbackLinux
import XCallbackPipeline
import XCallbackWire

/// The entries about requests in systemd's journal: those of the system's daemon and of the user's own.
///
/// journalctl(1) reads them, because it finds all files of the journal and enforces who may read them.
struct Journal {
    /// An entry.
    struct Entry {
        /// The fields that are shown, as `journalctl --output=json` writes them.
        let fields: JSONValue

        init(_ entry: JSONValue) {
            let members = if case .object(let members) = entry { members } else { [JSONValue.Member]() }
            fields = .object(
                members.filter { member in
                    member.name.hasPrefix("XCALLBACK_") || member.name.hasPrefix("__")
                        || Journal.fields.contains(member.name)
                })
        }

        /// The writer: the daemon, or a program in its unit, which chooses its own name.
        var source: String {
            let isDaemons = [text("_SYSTEMD_UNIT"), text("_SYSTEMD_USER_UNIT")].contains(Journal.daemon)
            return isDaemons ? "xcallbackd" : "program: \(text("SYSLOG_IDENTIFIER") ?? text("_COMM") ?? "?")"
        }

        /// Returns a field that is a text; nil if missing.
        func text(_ name: String) -> String? { fields[name]?.text }

        /// The message for people; its control characters are escaped when it is shown.
        var message: String {
            let value = fields["MESSAGE"]
            // journalctl writes a text as bytes if it is not UTF-8 or has control characters.
            if let bytes = value?.elements?.compactMap({ $0.integer.flatMap { UInt8(exactly: $0) } }) {
                return String(decoding: bytes, as: UTF8.self)
            }
            return value?.text ?? ""
        }

        /// The time of the entry, since 1970.
        var time: Duration {
            let moment = text("_SOURCE_REALTIME_TIMESTAMP") ?? text("__REALTIME_TIMESTAMP")
            return .microseconds(moment.flatMap { Int64($0) } ?? 0)
        }

        /// The request of the entry.
        var id: RequestID? { text("XCALLBACK_REQUEST_ID").flatMap { RequestID($0) } }
    }

    /// The number of latest entries that are searched for the last request.
    static let depth = 1_000
    private static let outputLimit = 16 << 20

    /// The unit of a daemon.
    private static let daemon = "xcallbackd.service"
    /// The prefixes of the units and scopes of programs.
    private static let programs = ["xcallbackd-run@", "xcallback-"]
    /// The fields that are shown besides those named after the daemon and journald: none holds a value of a request, unlike the
    /// arguments of a program (`_CMDLINE`).
    private static let fields: Set = [
        "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER", "_BOOT_ID", "_COMM", "_EXE", "_GID", "_HOSTNAME",
        "_PID", "_SOURCE_REALTIME_TIMESTAMP", "_SYSTEMD_INVOCATION_ID", "_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT",
        "_TRANSPORT", "_UID",
    ]

    /// Conditions for the entries of daemons, on fields that journald itself writes.
    ///
    /// (A program that is a child of the daemon and has no unit of its own meets them, too.)
    private static var daemons: [[String]] {
        [["_SYSTEMD_UNIT=\(daemon)"], ["_SYSTEMD_USER_UNIT=\(daemon)", "_UID=\(geteuid())"]]
    }

    /// Returns the ID of the last logged request; nil if the last entries name none, or the user may not read them.
    ///
    /// - Throws: ``Failure`` if there is no journal.
    static func lastID() throws(Failure) -> RequestID? {
        try entries(
            ["--lines=\(depth)", "--reverse", "--output-fields=XCALLBACK_REQUEST_ID"], daemons
        ).lazy.compactMap(\.id).first
    }

    /// Returns the entries of a request in order of time: those of the daemon, and of the units that they name.
    ///
    /// - Throws: ``Failure`` if there is no journal.
    static func story(of id: RequestID) throws(Failure) -> [Entry] {
        let match = "XCALLBACK_REQUEST_ID=\(id)"
        let told = try entries([], daemons.map { $0 + [match] })
        // Everything in the units of its programs, whichever process wrote it.
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

    /// Reads the entries that match all conditions of at least one list.
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

    /// Whether the system has a journal that the user may not read.
    static var isClosed: Bool {
        guard let machine = (try? UserFile(path: "/etc/machine-id").read())?.prefix(32) else { return false }
        let files = ["/var/log/journal", "/run/log/journal"].map { "\($0)/\(machine)/system.journal" }
        return files.contains { access($0, F_OK) == 0 } && !files.contains { access($0, R_OK) == 0 }
    }
}
