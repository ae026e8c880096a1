/// The total time of `xcallback open`, beside other programs that request the same text from a running server.
enum CommandSection: Section {
    static let name = "command"

    /// A program with its name in tables; nil if not installed.
    private typealias Subject = (name: String, program: ShortProgram?)

    static func run(on bench: Bench, into report: inout Report) throws {
        var subjects = try clients(of: bench.startDaemon(), on: bench)
        let bus = try bench.busPrograms.map { try MessageBus(on: bench, programs: $0) }
        if let bus { subjects += busClients(of: bus.server) }
        subjects.append(("`/bin/true`", ShortProgram("/bin/true")))

        let installed = subjects.compactMap { subject in subject.program.map { (name: subject.name, program: $0) } }
        let turns = try Turns(of: installed.map { $0.program.run }, rounds: bench.effort.turns, on: bench)
        var table = Table(
            title: "A command, from its start to its end, ms",
            columns: ["program", "median of \(bench.effort.turns)", "least", "`xcallback open` is to it"],
            note: "Each asks a running server once and writes the answer. `/bin/true` is what any program takes."
        )
        for (index, subject) in installed.enumerated() {
            let ratio = turns.ratio(of: 0, to: index)
            if index > 0 { report.add("time of \(installed[0].name) to \(subject.name)", ratio) }
            table.rows.append([subject.name, turns.median(index).short, turns.least(index).short, ratio.ratio])
        }
        for subject in subjects where subject.program == nil {
            table.rows.append([subject.name, "not installed", "", ""])
        }
        report.add(table)
    }

    /// Clients of the daemon; the first one is its own.
    private static func clients(of daemon: Server, on bench: Bench) throws -> [Subject] {
        let (socket, url, reply) = (daemon.socket, Question.request, Question.reply)
        let line = try bench.workspace.write(url + "\n", to: "line")
        return [
            ("`xcallback open`", ShortProgram(bench.command, ["open", "--socket", socket, url], answer: reply + "\n")),
            ("`nc -U`", ShortProgram("nc", ["-U", "-N", socket], input: line, answer: reply + "\n")),
        ]
    }

    /// Programs that call a method over D-Bus.
    private static func busClients(of bus: Server) -> [Subject] {
        let address = "unix:path=\(bus.socket)"
        let (name, object, url, reply) = ("org.xcallback.Peer", "/peer", Question.request, Question.reply)
        let busctl = ["--address=\(address)", "call", name, object, name, "Open", "s", url]
        let place = ["--address", address, "--dest", name, "--object-path", object]
        let gdbus = ["call"] + place + ["--method", "\(name).Open", url]
        return [
            ("`busctl call`", ShortProgram("busctl", busctl, answer: "s \"\(reply)\"\n")),
            ("`gdbus call`", ShortProgram("gdbus", gdbus, answer: "('\(reply)',)\n")),
        ]
    }
}
