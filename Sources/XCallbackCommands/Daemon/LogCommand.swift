import ArgumentParser
import Glibc
import XCallbackJSON
import XCallbackPipeline

/// Tells all that the journal has of one request.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show what the journal has about one request: who sent it, what ran, how it ended.",
        discussion: """
            A request has an id. It is in the output of 'xcallback open --json' and 'xcallback monitor --json', in \
            $XCALLBACK_REQUEST_ID of a program, and in the field XCALLBACK_REQUEST_ID of the journal. The entries of \
            the daemon, and everything that was written in the unit of a program ('program:' and the name that it \
            gave), are printed in the order of time, one line each. Entries of the daemon have no values.

            It finds requests of the system's daemon and of your own. A daemon that was started by hand has no \
            entries in the journal: it writes to its standard error.

            Example: xcallback log --last

            Exit status: 0 found, 1 the journal has nothing about it, or you may not read it, 64 usage.
            """
    )

    @Argument(help: "The id of the request, such as 7h3kq2vd-41.")
    var id: String?

    @Flag(help: "The request of the last entry.")
    var last = false

    @Flag(help: "Print one JSON object for each entry, like journalctl(1).")
    var json = false

    func validate() throws {
        guard last != (id != nil) else { throw ValidationError("Name one request: ID or '--last'.") }
        if let id, RequestID(id) == nil {
            throw ValidationError("'\(id)' is no id of a request: expected one such as 7h3kq2vd-41.")
        }
    }

    func run() throws {
        guard let id = try id.flatMap({ RequestID($0) }) ?? Journal.lastID() else {
            throw failure(
                "none of the last \(Journal.depth) entries of the journal that daemons wrote tells of a request")
        }
        let entries = try Journal.story(of: id)
        if entries.isEmpty { throw failure("the journal has nothing of the request \(id)") }
        if json { return try Terminal.print(entries.map(\.fields.visibleText).joined(separator: "\n")) }
        let rows = entries.map { [$0.time.clockText, $0.source, $0.message] }
        try Terminal.print("request \(id)\n\(TextTable(rows).text)")
    }

    /// Why there is nothing to print, and what to do.
    private func failure(_ reason: String) -> Failure {
        var text =
            "\(reason): successes are logged only with 'log: { level: debug }' in the configuration, by routes with the "
            + "middleware 'log'"
        if Journal.isClosed {
            text +=
                "; and what the system's daemon has logged may be read by root and the group 'systemd-journal' only"
        } else if geteuid() == 0 {
            text += "; and what a user's daemon has logged is found by that user"
        }
        return Failure(.errorAnswer, text)
    }
}
