import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Streams of replies to programs.
@Suite(.blocking)
struct MonitorTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/echo/:text", respond: { text: "{text}" } }
          - { route: "app:/run", exec: [sh, -c, exit 3] }
          - { route: "app:/long", exec: [sleep, "60"] }
        """

    private static func watch(_ daemon: RunningDaemon, values: Bool) throws -> RouterClient {
        let client = try RouterClient(daemon.socket)
        try client.send("Monitor", ["values": .bool(values)], mode: .more)
        expect(try client.reply(), equals: ["event": .null])
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
        // An immediate answer takes some time, too.
        for event in events.dropFirst() {
            guard case .number(let duration)? = event["duration"] else { throw TestFailure("no duration") }
            #expect((0.000_000_1..<60).contains(Double(duration.text) ?? 0))
        }
    }

    @Test func theEndOfARequestWhoseClientLeavesIsShownAndCounted() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try Self.watch(daemon, values: false)
        let clients: [() throws -> Any] = [
            {
                let client = try daemon.connect()
                try client.send("app:/long\n")
                return client
            },
            {
                let client = try RouterClient(daemon.socket)
                try client.send("Open", ["url": "app:/long"])
                return client
            },
        ]
        for start in clients {
            let begin = try withExtendedLifetime(start()) { try #require(try watcher.reply()["event"]) }
            let end = try #require(try watcher.reply()["event"])
            #expect(begin["kind"] == "request" && end["kind"] == "answer" && begin["number"] == end["number"])
            #expect(end["outcome"] == "cancel" && end["by"] == "daemon")
        }
        expect(try RouterClient(daemon.socket).call("Status")["total"]?["cancels"]?.integer, equals: 2)
    }

    @Test func whoReadsTooSlowlyLosesTheOldestAndLearnsHowMany() throws {
        let daemon = try RunningDaemon("\(Self.configuration)\nlimits: { queued-output: 4096 }")
        let watcher = try Self.watch(daemon, values: true)
        let client = try daemon.connect()
        let count = 2000
        for number in 0..<count {
            expect(try client.ask("app:/echo/\(number)")) { $0?.hasSuffix("=\(number)") == true }
        }
        // The very last event is never lost.
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
        // What was told is not told again.
        expect(try client.ask("app:/echo/more")) { $0?.hasSuffix("=more") == true }
        expect(try watcher.reply()["event"]?["url"]?.text, equals: "app:/echo/more")
    }

    /// Returns a watcher's events of requests, up to one that always matches.
    private static func seen(_ filter: JSONValue, until last: String) throws -> [String] {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try RouterClient(daemon.socket)
        try watcher.send("Monitor", filter, mode: .more)
        expect(try watcher.reply(), equals: ["event": .null])
        let client = try daemon.connect()
        for url in ["app:/run", "app:/echo/a", "app:/none", "app:/run", "app:/echo/b"] { _ = try client.ask(url) }
        var events: [String] = []
        while events.filter({ $0 == last }).count < 2 {
            let event = try #require(try watcher.reply()["event"])
            let parts = ["kind", "route", "outcome"].map { event[$0]?.text ?? "-" }
            events.append(parts.joined(separator: " "))
        }
        return events
    }

    private static let run = ["request app:/run -", "answer app:/run error"]

    static let filters: [(JSONValue, [String])] = [
        (["route": "app:/run"], run + run),
        (["route": "app:/echo/:text"], ["answer app:/echo/:text success", "answer app:/echo/:text success"]),
        (["outcome": "error"], [run[1], "answer - error", run[1]]),
        (["route": "app:/run", "outcome": "error"], [run[1], run[1]]),
        (["route": "app:/run", "user": .number(JSONNumber(Int(geteuid())))], run + run),
        (["route": "app:/run", "process": .number(JSONNumber(Int(getpid())))], run + run),
    ]

    @Test(arguments: filters)
    func whatIsFilteredOutIsNotShown(filter: JSONValue, events: [String]) throws {
        expect(try Self.seen(filter, until: try #require(events.last)), equals: events)
    }

    static let others: [JSONValue] = [
        ["user": .number(64_000)], ["process": .number(1)], ["outcome": "cancel"], ["process": .number(-7)],
        ["route": "app:/run", "outcome": "success"],
    ]

    @Test(arguments: others)
    func nothingIsShownOfOthers(filter: JSONValue) throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (watcher, other) = try (RouterClient(daemon.socket), Self.watch(daemon, values: false))
        try watcher.send("Monitor", filter, mode: .more)
        expect(try watcher.reply(), equals: ["event": .null])
        _ = try daemon.connect().ask("app:/run")
        // Events are sent to all watchers at once, followed by the end of the daemon.
        for _ in 0..<2 { _ = try other.reply() }
        daemon.process.send(signal: 15)
        #expect(errorName { _ = try watcher.reply() } == "org.xcallback.Router.Stopping")
    }

    static let peers = ["\(geteuid())", "/\(getpid())", "\(geteuid())/\(getpid())"]

    @Test(arguments: peers)
    func theCommandShowsOnlyWhatItIsAskedFor(peer: String) throws {
        let daemon = try RunningDaemon(Self.configuration)
        let output = daemon.directory.path(of: "events")
        let monitor = try ChildProcess(
            [
                RunningDaemon.program("xcallback"), "monitor", "--socket", daemon.socket, "--peer", peer, "--route",
                "app:/echo/:text", "--outcome", "success",
            ], output: output)
        let client = try daemon.connect()
        var rows: [Substring] = []
        try daemon.ask("app:/run", on: client) {
            _ = try client.ask("app:/echo/a")
            rows = try daemon.directory.text(of: "events").split(separator: "\n")
            return rows.count > 3
        }
        #expect(rows.first?.hasPrefix("TIME ") == true)
        #expect(rows.dropFirst().dropLast().allSatisfy { $0.contains(" app:/echo/:text ") && $0.contains(" success ") })
        withExtendedLifetime(monitor) {}
    }

    @Test func aRouteThatIsNotThereIsReported() throws {
        let daemon = try RunningDaemon(Self.configuration)
        for route in ["app:/rum", "app:/echo/:word", ""] {
            let client = try RouterClient(daemon.socket)
            try client.send("Monitor", ["route": .string(route)], mode: .more)
            #expect(errorName { _ = try client.reply() } == "org.xcallback.Router.UnknownRoute")
        }
        let client = try RouterClient(daemon.socket)
        try client.send("Monitor", ["outcome": "failure"], mode: .more)
        #expect(errorName { _ = try client.reply() } == "org.varlink.service.InvalidParameter")
    }
}
