import Glibc
import Testing
import XCallbackTesting

/// A daemon to which the system has nothing to give any more.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [echo, hello], timeout: 1s }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"
    /// The limit of threads and processes does not hold for root.
    private static let other = ["/usr/bin/setpriv", "--reuid", "64000", "--regid", "64000", "--clear-groups"]

    /// Dispatch lets threads go that have nothing to do for five seconds; until then there are some left.
    @Test(.enabled(if: geteuid() == 0, "only root may become another user"), arguments: [0, 7])
    func aDaemonThatGetsNoThreadAnswersAndEnds(idleTime: UInt32) throws {
        let directory = try TemporaryDirectory()
        chown(directory.path, 64_000, 64_000)
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory, environment: ["WATCHDOG_USEC=1000000"], under: Self.other)
        // The manager's socket is root's; what it is told before that is lost.
        chmod(daemon.manager.address, 0o666)
        while access(daemon.socket, F_OK) != 0 { #expect(daemon.process.isRunning) }
        let client = try daemon.connect()
        #expect(try client.ask("app:/ping") == Self.pong)
        sleep(idleTime)
        let limit = try ChildProcess(
            Self.other + ["/usr/bin/prlimit", "--pid", "\(daemon.process.id)", "--nproc=1:1"],
            environment: ["PATH=/usr/bin:/bin"], output: directory.path(of: "limit"), error: directory.path(of: "limit")
        )
        #expect(try limit.wait() == 0)
        #expect(try client.ask("app:/ping") == Self.pong)
        let refusal = try client.ask("app:/run")
        #expect(refusal?.contains("errorCode=50") == true, "\(refusal ?? "")")
        // It is not read, or late, and in the way of nothing.
        daemon.process.send(signal: SIGHUP)
        #expect(try client.ask("app:/ping") == Self.pong)
        #expect(try daemon.connect().ask("app:/ping") == Self.pong)
        while try daemon.manager.receive() != "WATCHDOG=1" {}
        for _ in 0..<3 { while try daemon.manager.receive() != "WATCHDOG=1" {} }
        #expect(try daemon.stop() == 0)
    }
}
