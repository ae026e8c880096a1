import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// A log that takes no more, and the lines that a user's requests cause.
@Suite(.blocking)
struct LogTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [sh, -c, "echo complaint >&2; echo hello"] }
          - { route: "app:/fail", exec: [/nonexistent] }
          - { route: "app:/signal", exec: [sh, -c, "kill -XFSZ $$"] }
        """

    private static func expectLife(of daemon: RunningDaemon) throws {
        let client = try daemon.connect()
        for _ in 0..<100 { expect(try client.ask("app:/fail")) { $0?.contains("errorCode=500") == true } }
        expect(try client.ask("app:/run"), equals: result("hello"))
        expect(try daemon.reload(configuration)) { $0.contains("STATUS=Serving 4 routes") }
        expect(try client.ask("app:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
    }

    @Test func aDiskThatIsFullIsInTheWayOfNothing() throws {
        let daemon = try RunningDaemon(Self.configuration, preparation: "exec 2>/dev/full")
        try Self.expectLife(of: daemon)
    }

    /// The limit RLIMIT_FSIZE raises SIGXFSZ.
    @Test func aFileThatMayNotGrowIsInTheWayOfNothing() throws {
        let daemon = try RunningDaemon(Self.configuration, preparation: "ulimit -f 4")
        try Self.expectLife(of: daemon)
        expect(try daemon.log.utf8.count, equals: 4096)
        // Programs do not inherit that the signal is ignored.
        expect(try daemon.connect().ask("app:/signal")) { $0?.contains("errorCode=500") == true }
    }

    @Test(arguments: [true, false])
    func aPipeThatNobodyReadsIsInTheWayOfNothing(hasReader: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "pipe")
        _ = try TestFailure.check("mkfifo", mkfifo(path, 0o600))
        let reader = try TestFailure.check("open", open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let daemon = try RunningDaemon(starting: Self.configuration, in: directory, preparation: "exec 2>'\(path)'")
        try daemon.waitUntilReady()
        // The last line before the pipe is full: a write that comes between the daemon's check and its own makes it wait.
        var bytes = [UInt8](repeating: 0, count: 4096)
        try waitUntil("the daemon has logged that it is ready") {
            let count = read(reader, &bytes, bytes.count)
            return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).contains("ready")
        }
        if hasReader {
            let writer = try TestFailure.check("open", open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC))
            for size in [4096, 1] { while write(writer, bytes, size) > 0 {} }
            close(writer)
        } else {
            close(reader)
        }
        try Self.expectLife(of: daemon)
        expect(try daemon.stop(), equals: 0)
        if hasReader { close(reader) }
    }

    static let causes = [
        ("middleware: [log], policies: [{ user: 1 }], respond: {}", "request failed"),
        ("exec: [ls, /nonexistent]", "a program failed"),
        ("exec: [sh, -c, \"kill -KILL $$\"]", " failed "),
        ("exec: [/nonexistent]", "cannot start a program"),
        ("policies: [{ exec: [sh, -c, \"kill -KILL $$\"] }], respond: {}", " failed "),
        ("policies: [{ exec: [sh, -c, \"echo no >&2; exit 1\"] }], respond: {}", "a program wrote to standard error"),
        ("middleware: [{ exec: [echo, no] }], respond: {}", "middleware failed"),
        ("middleware: [{ exec: [sh, -c, \"echo no >&2\"] }], respond: {}", "a program wrote to standard error"),
    ]

    @Test(arguments: causes)
    func aLineThatAProgramCausesCountsForTheUserOfTheRequest(stages: String, message: String) throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nlimits: { log-lines: 5 }\nroutes:\n  - { route: \"app:/run\", \(stages) }\n")
        let client = try daemon.connect()
        for _ in 0..<15 { _ = try client.ask("app:/run") }
        let lines = try daemon.log.split(separator: "\n").filter { $0.contains(message) }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.contains("peer.uid=\(geteuid())") && $0.contains("app:/run") })
        expect(try daemon.log) { $0.contains("log lines are suppressed: User \(geteuid())") }
    }

    @Test func eachSuppressedLineIsReportedOnce() throws {
        let daemon = try RunningDaemon("limits: { log-lines: 1 }\n" + Self.configuration)
        let client = try daemon.connect()
        var (count, lines, reported) = (0, [Substring](), [Int]())
        // One line a second reports them.
        while reported.count < 2 {
            _ = try client.ask("app:/fail")
            count += 1
            lines = try daemon.log.split(separator: "\n")
            reported = lines.compactMap { $0.firstMatch(of: /line\.count=(\d+)/).flatMap { Int($0.output.1) } }
        }
        #expect(reported.reduce(0, +) == count - lines.count { $0.contains("cannot start a program") })
    }

    /// A line that the log level suppresses does not count.
    @Test func aLineThatIsNotWrittenCountsForNobody() throws {
        let daemon = try RunningDaemon(
            "log: { level: error }\nlimits: { log-lines: 5 }\n" + Self.configuration)
        let client = try daemon.connect()
        for _ in 0..<15 { _ = try client.ask("app:/run") }
        _ = try client.ask("app:/fail")
        expect(try daemon.log) { $0.contains("cannot start a program") }
    }
}
