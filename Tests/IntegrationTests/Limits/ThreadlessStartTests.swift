import Glibc
import Testing
import XCallbackTesting

/// Programs with too few threads from their start.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can become another user"))
struct ThreadlessStartTests {
    private static let configuration = """
        schemes: [app]
        routes: [{ route: "app:/ping", respond: { pong: 1 } }]
        """
    private static let reason = "the system allows no more threads"

    private static func start(
        threads count: Int, _ configuration: String = configuration, preparation: String = ":"
    ) throws -> RunningDaemon {
        let directory = try TemporaryDirectory()
        let user = LimitedUser()
        chown(directory.path, user.id, user.id)
        return try RunningDaemon(
            starting: configuration, in: directory,
            preparation: #"chmod 666 "$NOTIFY_SOCKET"; \#(preparation)"#, under: user.words(threads: count))
    }

    @Test func aDaemonWithTooFewThreadsEndsAtOnce() throws {
        let daemon = try Self.start(threads: 1)
        #expect(try daemon.manager.receive().hasPrefix("STATUS=Not started: \(Self.reason)"))
        #expect(try daemon.process.wait() == 71)
        #expect(try daemon.log.contains("cannot serve") && daemon.log.contains(Self.reason))
    }

    @Test(arguments: [2, 3, 6])
    func aDaemonWithEnoughThreadsServes(count: Int) throws {
        let daemon = try Self.start(threads: count)
        try daemon.waitUntilReady()
        #expect(try daemon.connect().ask("app:/ping")?.hasSuffix("pong=1") == true)
        #expect(try daemon.stop() == 0)
    }

    @Test func aFaultIsReportedWithoutThreads() throws {
        let daemon = try Self.start(threads: 1, "routs: 1")
        #expect(try daemon.manager.receive().hasPrefix("STATUS=Not started: the configuration has"))
        #expect(try daemon.process.wait() == 78)
    }

    @Test func aManagerThatDoesNotReadDelaysTheEndForAMoment() throws {
        // The queue has room for ten messages.
        let fill = "for i in {1..12}; do timeout 1 systemd-notify --no-block STATUS=$i; done"
        let daemon = try Self.start(threads: 2, "routs: 1", preparation: fill)
        #expect(try daemon.process.wait() == 78)
    }
}
