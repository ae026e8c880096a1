import Glibc
import Testing
import XCallbackTesting

/// Output to files that may not grow (RLIMIT_FSIZE, which raises SIGXFSZ).
@Suite(.blocking, .timeLimit(.minutes(10)))
struct FileSizeLimitTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/fail", exec: [/nonexistent] }
          - { route: "app:/signal", exec: [sh, -c, "kill -XFSZ $$"] }

        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    @Test func theDaemonOutlivesALogThatIsFull() throws {
        let daemon = try RunningDaemon(Self.configuration, preparation: "ulimit -f 4")
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("app:/fail")?.contains("errorCode=500") == true) }
        #expect(try daemon.log.utf8.count == 4096)
        #expect(try client.ask("app:/ping") == Self.pong)
        // Programs do not inherit that the signal is ignored.
        #expect(try client.ask("app:/signal")?.contains("errorCode=500") == true)
    }

    @Test func theCommandReportsThatItsOutputIsFull() throws {
        let directory = try TemporaryDirectory()
        let command = try ChildProcess(
            [
                "/bin/bash", "-c", "ulimit -f 0; exec \"$0\" --help 2>/dev/null", RunningDaemon.program("xcallback"),
            ], environment: ["PATH=/usr/bin:/bin"], output: directory.path(of: "output"), error: "/dev/null")
        #expect(try command.wait() == 74)
    }
}
