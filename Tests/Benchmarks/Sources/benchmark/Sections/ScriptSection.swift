import CMeasure
import Foundation

/// A script that a route runs, one at a time, compared with the same script without a daemon.
enum ScriptSection: Section {
    static let name = "script"

    private static let text = """
        #!/bin/sh
        printf '%s\\n' "$1"

        """

    static func run(on bench: Bench, into report: inout Report) throws {
        let script = try bench.workspace.write(text, to: "script")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        guard let alone = ShortProgram(script, ["hello"], answer: "hello\n") else {
            throw BenchmarkError("'\(script)' is not executable")
        }
        let daemon = try bench.startDaemon(.init(script: script))
        let client = LoneClient(of: daemon.socket)
        let question = LoneQuestion(
            "notes:/script?text=hello&x-success=caller:done\n", reply: "caller:done?result=hello\n")
        func ask() throws -> Double {
            let sent = measure_now()
            guard client.ask(question) else { throw BenchmarkError("the daemon has not run '\(script)'") }
            return Double(measure_now() - sent) / 1e6
        }
        let turns = try Turns(of: [ask, alone.run], rounds: bench.effort.turns, on: bench)
        let ratio = turns.ratio(of: 0, to: 1)
        report.add("time of `exec` of a script to `posix_spawn`", ratio)
        report.add(
            Table(
                title: "A script of two lines, one at a time, ms",
                columns: ["what runs it", "median of \(bench.effort.turns)", "least", "the daemon is to it"],
                rows: ["xcallbackd, `exec`", "`posix_spawn` in C"].enumerated().map { index, name in
                    [name, turns.median(index).short, turns.least(index).short, index == 0 ? "" : ratio.ratio]
                },
                note: "`/bin/sh` writes the value of a parameter, which is the answer."
            ))
    }
}
