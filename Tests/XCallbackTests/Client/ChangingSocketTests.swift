import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// A socket that is away, as it is for a moment when its unit is restarted.
@Suite(.timeLimit(.minutes(10)))
struct ChangingSocketTests {
    private static let reply = #"{"parameters":{"outcome":"success","answer":"a:/ok","items":[],"by":"handler"}}"#

    @Test func oneThatIsAwayForAMomentIsWaitedFor() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let daemon = try FakeDaemon(path) { _, _ in [Self.reply] }
        let away = directory.path(of: "away")
        rename(path, away)
        runOnThread {
            usleep(300_000)
            rename(away, path)
        }
        expect(try await Client(socket: path).open("n:/a").url, equals: "a:/ok")
        #expect(daemon.clientCount == 1)
    }

    @Test func oneThatNobodyListensOnIsTriedAgain() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        // Its server is gone at once, and its file stays.
        _ = try SocketServer(path) { _ in }
        let start = ContinuousClock.now
        let error = await #expect(throws: ClientError.self) { try await Client(socket: path).open("n:/a") }
        #expect(error?.description.contains("Connection refused") == true)
        #expect(start.duration(to: .now) >= .seconds(2))
    }
}
