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

    @Test(arguments: 1...3)
    func aDaemonWithTooFewThreadsEndsAtOnce(count: Int) throws {
        let daemon = try Self.start(threads: count)
        #expect(try daemon.manager.receive().hasPrefix("STATUS=Not started: \(Self.reason)"))
        #expect(try daemon.process.wait() == 71)
        #expect(try daemon.log.contains("cannot serve") && daemon.log.contains(Self.reason))
    }

    @Test func aDaemonWithEnoughThreadsServes() throws {
        let daemon = try Self.start(threads: 4)
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
        let daemon = try Self.start(threads: 1, "routs: 1", preparation: fill)
        #expect(try daemon.process.wait() == 78)
        #expect(try daemon.log.contains("cannot notify the service manager"))
    }

    @Test func aProgramServerWithoutThreadsEndsAtOnce() throws {
        let directory = try TemporaryDirectory()
        let user = LimitedUser()
        chown(directory.path, user.id, user.id)
        let file = try directory.write(Self.configuration, to: "config.yaml")
        let program = try RunningDaemon.program("xcallbackd")
        let words = user.words(threads: 1) + [program, "--run", "--config", file]
        let log = directory.path(of: "log")
        let server = try SocketServer(directory.path(of: "socket")) { connection in
            let process = try ChildProcess(
                ["/bin/bash", "-c", #"exec "$0" "$@" <&3 3<&-"#] + words, environment: ["PATH=/usr/bin:/bin"],
                output: log, error: log, passing: connection.descriptor)
            try directory.write("\(try process.wait())", to: "status")
        }
        let client = try ByteSocket.connect(to: directory.path(of: "socket"))
        var bytes: [UInt8] = []
        while try client.receive(into: &bytes) {}
        #expect(bytes.isEmpty)
        #expect(try directory.text(of: "status") == "71")
        #expect(try directory.text(of: "log").contains(Self.reason))
        withExtendedLifetime(server) {}
    }
}
