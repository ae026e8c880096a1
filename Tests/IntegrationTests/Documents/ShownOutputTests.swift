import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The outputs in the documents that have times, numbers and processes: all else in them is what is printed.
@Suite(.blocking)
struct ShownOutputTests {
    private static let page = "Docs/Reference/Commands.md"

    /// Returns the block of a document that contains a text.
    private static func block(with text: String, of file: String) throws -> DocumentExample {
        try #require(DocumentExample.all(in: "text", of: file).first { $0.text.contains(text) }, "\(file): \(text)")
    }

    /// A daemon with the configuration of the page, and a client for each of its commands.
    private final class Site {
        let daemon: RunningDaemon
        private var commands: [ChildProcess] = []

        init() throws {
            daemon = try RunningDaemon(#require(DocumentExample.configurationOfCommands(in: page)))
        }

        deinit { for command in commands { command.send(signal: SIGKILL) } }

        /// Starts a command whose output goes to a file.
        func start(_ words: String..., to file: String) throws {
            commands.append(
                try ChildProcess(
                    [RunningDaemon.program("xcallback")] + words,
                    environment: ["XCALLBACK_SOCKET=\(daemon.socket)", "PATH=/usr/bin:/bin"],
                    output: daemon.directory.path(of: file)))
        }

        /// Runs a command and returns its output.
        func run(_ words: String...) throws -> String {
            try ChildProcess.run(
                [RunningDaemon.program("xcallback")] + words, environment: ["XCALLBACK_SOCKET=\(daemon.socket)"]
            ).output
        }

        /// Waits until a condition is true.
        func wait(until condition: () throws -> Bool) throws {
            let client = try daemon.connect()
            try daemon.ask("other:/nothing", on: client, until: condition)
        }

        /// Waits until the output of a command has a text.
        func wait(for text: String, in file: String) throws {
            try wait { try daemon.directory.text(of: file).contains(text) }
        }
    }

    @Test func theStatusHasTheShownLines() throws {
        let site = try Site()
        try site.start("listen", "shouter", "--", "echo", "Hi!", to: "listen")
        try site.start("listen", "counter", "--", "echo", "1", to: "listen")
        for url in ["desk:/shout?text=Hi", "desk:/count", "desk:/hello/Ada", "desk:/saved/7", "desk:/nothing"] {
            _ = try site.run("open", url)
        }
        let printed = try site.run("status").split(separator: "\n").map { label(of: String($0)) }
        let shown = try Self.block(with: "refused answers", of: Self.page).text.split(separator: "\n")
        for line in shown { #expect(printed.contains(label(of: String(line))), "\(line): \(printed)") }
    }

    @Test func theFiguresForPrometheusAreMetrics() throws {
        let site = try Site()
        for url in ["desk:/hello/Ada", "desk:/nothing"] { _ = try site.run("open", url) }
        let script = try Self.script(in: "Docs/HowTo/WatchAMachine.md")
        let file = site.daemon.directory.path(of: "figures")
        func figures(_ socket: String) throws -> [Substring] {
            let path = "PATH=\(try RunningDaemon.program("xcallback").dropLast(10)):/usr/bin:/bin"
            let run = try ChildProcess.run(
                ["/bin/sh", "-c", script, "sh", file], environment: ["XCALLBACK_SOCKET=\(socket)", path])
            #expect(run.status == 0, "\(run.output)")
            return try site.daemon.directory.text(of: "figures").split(separator: "\n")
        }
        let lines = try figures(site.daemon.socket)
        for line in lines {
            let metric = /xcallbackd_[a-z_]+({[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*})? [0-9.e+-]+/
            #expect(line.wholeMatch(of: metric) != nil, "\(line)")
        }
        #expect(Set(lines.map { $0.split(separator: " ")[0] }).count == lines.count)
        for line in ["up 1", "requests_total 2", "route_errors_total{route=\"none\",code=\"404\"} 1"] {
            #expect(lines.contains("xcallbackd_\(line)"), "\(lines)")
        }
        expect(try figures("/nowhere"), equals: ["xcallbackd_up 0"])
    }

    private static func script(in page: String) throws -> String {
        try #require(DocumentExample.all(in: "sh", of: page).first { $0.text.hasPrefix("#!") }).text
    }

    @Test func theEventsArePrintedAsShown() throws {
        let site = try Site()
        try site.start("monitor", "--values", to: "events")
        try site.start("listen", "shouter", "--", "printf", "Hi!", to: "listen")
        try site.start("subscribe", "desk.saved", to: "saved")
        try site.wait(for: "other:/nothing", in: "events")
        _ = try site.run("open", "desk:/shout?text=Hi&x-success=app:/done")
        _ = try site.run("handle", "--", "desk:/nothing")
        try site.wait {
            _ = try site.run("open", "desk:/saved/7?title=Milk%20and%20bread")
            return try !site.daemon.directory.text(of: "saved").isEmpty
        }
        try site.wait(for: "desktop", in: "events")
        let printed = try site.daemon.directory.text(of: "events").split(separator: "\n").map { shape(of: String($0)) }
        for line in try Self.block(with: "OUTCOME", of: Self.page).text.split(separator: "\n") {
            let parts = shape(of: String(line)).split(separator: "…")
            #expect(
                printed.contains { $0.hasPrefix(parts[0]) && ($0 == parts[0] || parts.count == 1) },
                "\(line): \(printed)")
        }
        let saved = try site.daemon.directory.text(of: "saved").split(separator: "\n")
        let shown = try Self.block(with: "$ xcallback subscribe", of: Self.page).steps
        #expect(saved.first.map { "\($0)\n" } == shown.first?.output)
    }

    /// The names of the fields of log lines, in their order.
    @Test func theLogHasTheShownFields() throws {
        let routes = "schemes: [notes, demo]\nmiddleware: [log]\nroutes:\n  - { route: notes:/a, respond: {} }\n"
        let daemon = try RunningDaemon(routes)
        _ = try daemon.connect().ask("notes:/nothing")
        try daemon.reload("\(routes)  - { route: demo:/new, respond: {} }\n")
        let printed = try daemon.log.split(separator: "\n").map { fields(of: String($0)) }
        let shown =
            try Self.block(with: "request failed", of: "Docs/Reference/Service.md").text
            + Self.block(with: "routes.added", of: "Docs/Reference/Service.md").text
        for line in shown.split(separator: "\n") {
            #expect(printed.contains(fields(of: String(line))), "\(line): \(printed)")
        }
    }
}

/// The start of a line, up to the next column, without numbers.
private func label(of line: String) -> String {
    let start = line.prefix { $0 == " " }
    let rest = line.dropFirst(start.count)
    let end = rest.firstRange(of: "  ")?.lowerBound ?? rest.endIndex
    return String(start) + rest[..<end].replacing(/[0-9]+/, with: "0")
}

/// A line with its times, numbers and ids replaced, and with columns of any width.
private func shape(of line: String) -> String {
    line.replacing(/[0-9a-z]{8}-[0-9]+/, with: "ID").replacing(/[0-9][0-9.:]*( (µs|ms|s)\b)?/, with: "0").replacing(
        #/ {2,}/#, with: "  ")
}

/// A line of the log with its values, and the time, left out.
private func fields(of line: String) -> String {
    let text = line.drop { $0 != " " }.replacing(/="[^"]*"/, with: "=")
    return String(text.replacing(/=[^ ]+/, with: "="))
}
