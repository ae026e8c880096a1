import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Long-running commands, with the real daemon.
@Suite(.blocking)
struct CommandLifeTests {
    private static let configuration = """
        schemes: [n]
        routes:
          - { route: "n:/up/:text", deliver: shouter, wait: 60s, timeout: 60s }
        """

    private final class Command {
        let process: ChildProcess
        let directory: TemporaryDirectory
        let name = "output-\(UInt32.random(in: 0 ... .max))"

        init(_ arguments: [String], _ daemon: RunningDaemon) throws {
            directory = daemon.directory
            let file = directory.path(of: name)
            process = try ChildProcess(
                [RunningDaemon.program("xcallback")] + arguments,
                environment: ["XCALLBACK_SOCKET=\(daemon.socket)", "PATH=/usr/bin:/bin"], output: file)
        }

        /// Waits until the command ends.
        func finish() throws -> (status: Int32, output: String) { (try process.wait(), try directory.text(of: name)) }
    }

    private let daemon: RunningDaemon

    init() throws { daemon = try RunningDaemon(Self.configuration) }

    @Test func aListenerAnswersAndSurvivesTheDaemon() throws {
        let listener = try Command(
            ["listen", "shouter", "--", "sh", "-c", #"echo "$XCALLBACK_PARAM_TEXT" | tr a-z A-Z"#], daemon)
        #expect(try Command(["open", "n:/up/ada"], daemon).finish() == (0, "result=ADA\n"))
        try daemon.stop()
        let next = try RunningDaemon(starting: Self.configuration, in: daemon.directory)
        try next.waitUntilReady()
        #expect(try Command(["open", "n:/up/bob"], next).finish() == (0, "result=BOB\n"))
        listener.process.send(signal: SIGTERM)
        expect(try listener.finish().status, equals: 128 + SIGTERM)
    }

    @Test func manyRequestsAreHandledAtATime() throws {
        let gate = daemon.directory.path(of: "gate")
        #expect(mkfifo(gate, 0o600) == 0)
        // Each waits for one line of the other: neither would finish alone.
        let script = #"case $XCALLBACK_PARAM_TEXT in a) echo go >"$0";; b) cat "$0";; esac"#
        let listener = try Command(["listen", "shouter", "--parallel", "2", "--", "sh", "-c", script, gate], daemon)
        let first = try Command(["open", "n:/up/b"], daemon)
        let second = try Command(["open", "n:/up/a"], daemon)
        #expect(try first.finish() == (0, "result=go\n"))
        #expect(try second.finish() == (0, "result=\n"))
        listener.process.send(signal: SIGTERM)
        _ = try listener.finish()
    }

    @Test func aProgramEndsWhoseCallerHasLeft() throws {
        let pids = daemon.directory.path(of: "pids")
        let script = #"case $XCALLBACK_PARAM_TEXT in long) echo $$ >>"$0"; exec sleep 600;; *) echo done;; esac"#
        let listener = try Command(["listen", "shouter", "--", "sh", "-c", script, pids], daemon)
        let program: pid_t = try {
            let caller = try daemon.connect()
            try caller.send("n:/up/long\n")
            try waitUntil("the program runs") { (try? textOfFile(pids).hasSuffix("\n")) == true }
            return try #require(pid_t(daemon.directory.text(of: "pids").dropLast()))
        }()
        // The next request is handled once the program has ended.
        #expect(try Command(["open", "n:/up/brief"], daemon).finish() == (0, "result=done\n"))
        #expect(kill(program, 0) < 0)
        listener.process.send(signal: SIGTERM)
        expect(try listener.finish().output, equals: "")
    }
}
