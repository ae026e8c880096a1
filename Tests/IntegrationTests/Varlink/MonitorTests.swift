import Testing
import XCallbackJSON
import XCallbackTesting
import XCallbackVarlink

/// What is told to programs again and again.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct MonitorTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/echo/:text", respond: { text: "{text}" } }
          - { route: "app:/run", exec: [sh, -c, exit 3] }
        """

    private static func watch(_ daemon: RunningDaemon, values: Bool) throws -> RouterClient {
        let client = try RouterClient(daemon.socket)
        try client.send("Monitor", ["values": .bool(values)], mode: .more)
        #expect(try client.reply() == ["event": .null])
        return client
    }

    @Test func requestsAndAnswersAreShownAsTheyCome() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try Self.watch(daemon, values: true)
        _ = try daemon.connect().ask("app:/run")
        _ = try RouterClient(daemon.socket).open("app:/echo/a?x-success=other:/")
        let events = try (0..<3).map { _ in try #require(try watcher.reply()["event"]) }
        #expect(events.map { $0["kind"]?.text } == ["request", "answer", "answer"])
        #expect(events[0]["number"] == events[1]["number"])
        #expect(events[1]["number"] != events[2]["number"])
        #expect(events.map { $0["route"]?.text } == ["app:/run", "app:/run", "app:/echo/:text"])
        #expect(events[1]["code"]?.integer == 3)
        #expect(events[1]["by"]?.text == "handler")
        #expect(events[2]["url"]?.text == "app:/echo/a?x-success=other:/")
        #expect(events[2]["answer"]?.text == "other:/?text=a")
        // Also one that is answered at once takes some time.
        for event in events.dropFirst() {
            guard case .number(let duration)? = event["duration"] else { throw TestFailure("no duration") }
            #expect((0.000_000_1..<60).contains(Double(duration.text) ?? 0))
        }
    }

    @Test func valuesAreHiddenUnlessTheyAreAskedFor() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try Self.watch(daemon, values: false)
        _ = try daemon.connect().ask("app:/echo/password?x-success=other:/password")
        let event = try #require(try watcher.reply()["event"])
        #expect(event["outcome"]?.text == "success")
        #expect(!"\(event)".contains("password"))
    }

    @Test func whoReadsTooSlowlyLosesTheOldestAndIsToldHowMany() throws {
        let daemon = try RunningDaemon("\(Self.configuration)\nlimits: { queued-output: 4096 }")
        let watcher = try Self.watch(daemon, values: true)
        let client = try daemon.connect()
        let count = 2000
        for number in 0..<count { #expect(try client.ask("app:/echo/\(number)")?.hasSuffix("=\(number)") == true) }
        // The last one of all is never lost.
        var (seen, missed, gaps) = (0, 0, 0)
        while true {
            let event = try #require(try watcher.reply()["event"])
            if event["kind"] == "missed" {
                missed += event["missed"]?.integer ?? 0
                gaps += 1
                continue
            }
            seen += 1
            if event["url"]?.text == "app:/echo/\(count - 1)" { break }
        }
        #expect(seen + missed == count)
        #expect(gaps > 0)
    }

    @Test func aStreamEndsWithTheDaemon() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try Self.watch(daemon, values: false)
        daemon.process.send(signal: 15)
        #expect(errorName { _ = try watcher.reply() } == "org.xcallback.Router.Stopping")
        #expect(try watcher.replyText() == nil)
        #expect(try daemon.process.wait() == 0)
    }
}
