import Glibc
import Testing
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackTesting

@Suite(.timeLimit(.minutes(10)))
struct RequestServiceTests {
    @Test func aUserMayHaveSoManyRequestsThatWait() async throws {
        let daemon = try await TestDaemon(limits: Limits { $0.capacity[.requests] = 1 })
        let first = try daemon.connect()
        try await first.send("app:/wait?name=a\n")
        await daemon.events.wait(for: "a begins")
        let second = try daemon.connect()
        #expect(
            try await second.ask("app:/wait?name=b") == failure(429)
                + "errorMessage=User%20\(geteuid())%20has%20reached%20a%20limit%3A%201%20of%201%20requests%20in%20progress%20"
                + "%28seven%20eighths%20of%20limits%3A%20requests%29.")
        #expect(try await second.ask("app:/now?name=c") == success("c"))
        daemon.gate.open("a")
        #expect(try await first.readLine() == success("a"))
        daemon.gate.open("d")
        #expect(try await second.ask("app:/wait?name=d") == success("d"))
        #expect(!daemon.events.all.contains("b begins"))
    }

    @Test func aDaemonThatStopsAnswersWhatWaits() async throws {
        let daemon = try await TestDaemon(limits: Limits { $0.drainTime = .seconds(600) })
        let (first, second) = (try daemon.connect(), try daemon.connect())
        try await first.send("app:/wait?name=a\napp:/now?name=b\n")
        await daemon.events.wait(for: "a begins")
        try await second.send("app:/wait?name=c\n")
        await daemon.events.wait(for: "c begins")
        await daemon.terminate()
        #expect(throws: TestFailure.self) { try daemon.connect() }
        daemon.gate.open("a")
        #expect(try await first.readToEnd() == [success("a"), success("b")])
        #expect(!daemon.events.all.contains("stopped"))
        daemon.gate.open("c")
        #expect(try await second.readToEnd() == [success("c")])
        await daemon.events.wait(for: "stopped")
    }

    @Test func aDaemonThatStopsEndsWhatWaitsTooLong() async throws {
        let daemon = try await TestDaemon(limits: Limits { $0.drainTime = .milliseconds(100) })
        let client = try daemon.connect()
        try await client.send((1...5).map { "app:/wait-told?name=\($0)\n" }.joined())
        await daemon.events.wait(for: "1 begins")
        await daemon.terminate()
        let answers = try await client.readToEnd()
        #expect(answers.count == 5)
        #expect(answers.allSatisfy { $0.hasPrefix(failure(503)) })
        await daemon.events.wait(for: "stopped")
        #expect(daemon.events.all.contains("1 is cancelled"))
        #expect(!daemon.events.all.contains("2 begins"))
    }

    @Test func aSecondSignalStopsAtOnce() async throws {
        let daemon = try await TestDaemon(limits: Limits { $0.drainTime = .seconds(600) })
        let client = try daemon.connect()
        try await client.send("app:/wait-told?name=a\n")
        await daemon.events.wait(for: "a begins")
        await daemon.terminate()
        await daemon.terminate()
        await daemon.events.wait(for: "stopped")
        #expect(try await client.readToEnd().isEmpty)
        #expect(daemon.events.all == ["a is received", "a begins", "a is cancelled", "a is finished", "stopped"])
        daemon.gate.open("a")
        await daemon.events.wait(for: "a ends")
    }
}
