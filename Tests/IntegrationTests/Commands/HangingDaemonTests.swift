import Glibc
import Testing
import XCallbackTesting

/// Reports of commands about a daemon that accepts connections and does not answer.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct HangingDaemonTests {
    private static let configuration = """
        schemes: [n]
        routes: [{ route: n:/a, respond: { a: b } }, { route: n:/b, publish: news }]
        """

    private func start(_ words: [String], _ daemon: RunningDaemon, to name: String) throws -> ChildProcess {
        let output = daemon.directory.path(of: name)
        return try ChildProcess(
            [RunningDaemon.program("xcallback")] + words + ["--socket", daemon.socket],
            environment: ["PATH=/usr/bin:/bin"], output: output, error: output)
    }

    @Test func commandsSayForWhatTheyWait() throws {
        let daemon = try RunningDaemon(Self.configuration)
        daemon.process.send(signal: SIGSTOP)
        defer { daemon.process.send(signal: SIGCONT) }
        let commands = [
            ["reload"], ["publish", "news", "a=b"], ["status"], ["routes"], ["routes", "n:/a"], ["explain", "n:/a"],
            ["explain", "n:/a", "--param", "x=y"],
        ]
        let programs = try commands.enumerated().map { try start($1, daemon, to: "output-\($0)") }
        let waits = [
            "to read its configuration", "to publish to 'news'", "to report its status", "to list its routes",
            "to list its routes", "to explain the URL", "to list its routes",
        ]
        for (index, wait) in waits.enumerated() {
            let line = "xcallback: waiting for the daemon \(wait) for 5 s: it is busy, stopped (SIGSTOP) or hangs\n"
            let limit = ContinuousClock.now + .seconds(60)
            while try daemon.directory.text(of: "output-\(index)") != line, .now < limit { usleep(10_000) }
            #expect(try daemon.directory.text(of: "output-\(index)") == line)
        }
        daemon.process.send(signal: SIGCONT)
        for program in programs { #expect(try program.wait() == 0) }
    }
}
