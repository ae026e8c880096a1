import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// A daemon that the system allows no further threads and processes.
@Suite(.blocking, .enabled(if: geteuid() == 0, "only root may become another user"))
struct ShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: app:/slow, exec: [sleep, "600"], timeout: 5s }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    /// As with `TasksMax=`, the limit applies from the start, to the daemon and its programs together.
    @Test(arguments: [3, 6, 12])
    func aDaemonWithFewTasksAnswersAndEnds(count: Int) throws {
        let user = LimitedUser()
        let directory = try TemporaryDirectory()
        chown(directory.path, user.id, user.id)
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory, under: user.words(threads: count))
        while (try? daemon.connect()) == nil { try #require(daemon.process.isRunning) }
        let client = try daemon.connect()
        // More programs than tasks.
        let callers = try (0..<14).map { _ in try daemon.connect() }
        for caller in callers { try caller.send("app:/slow\n") }
        for _ in 0..<100 { expect(try client.ask("app:/ping"), equals: Self.pong) }
        for _ in 0..<20 { daemon.process.send(signal: SIGHUP) }
        var codes: [String] = []
        for caller in callers {
            let answer = try #require(try caller.readLine())
            codes.append(String(answer.drop { $0 != "=" }.dropFirst().prefix(3)))
        }
        #expect(Set(codes).isSubset(of: ["503", "504"]) && codes.contains("503"), "\(codes)")
        expect(try daemon.log) { $0.contains("the system allows no more ") }
        expect(try client.ask("app:/ping"), equals: Self.pong)
    }
}
