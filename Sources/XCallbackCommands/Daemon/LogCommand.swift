import ArgumentParser
import Glibc
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

    func validate() throws {
        if let id, RequestID(id) == nil {
            throw ValidationError("'\(id)' is not a request id: expected an id such as 7h3kq2vd-41.")
        }
    }

    func run() throws {
        guard let id = try id.flatMap({ RequestID($0) }) ?? Journal.lastID() else {
            throw failure(
                "the last \(Journal.depth) journal entries of daemons mention no request")
        }
        let entries = try Journal.story(of: id)
        if entries.isEmpty { throw failure("the journal has no entries about the request \(id)") }
        if json { return try Terminal.print(entries.map(\.fields.visibleText).joined(separator: "\n")) }
        let rows = entries.map { [$0.time.clockText, $0.source, $0.message] }
        try Terminal.print("request \(id)\n\(TextTable(rows).text)")
    }

    /// Returns the reason why there is nothing to print, with a remedy.
    private func failure(_ reason: String) -> Failure {
        var text =
            "\(reason): successes are logged only with 'log: { level: debug }' in the configuration, by routes with the "
            + "middleware 'log'"
        if Journal.isClosed {
            text +=
                "; only root and the group 'systemd-journal' can read entries of the system's daemon"
        } else if geteuid() == 0 {
            text += "; only that user can find entries of a user's daemon"
        }
        return Failure(.errorAnswer, text)
    }
}
