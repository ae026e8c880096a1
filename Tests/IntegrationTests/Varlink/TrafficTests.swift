import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The daemon's statistics about its routes and receivers.
@Suite(.blocking)
struct TrafficTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/echo/:text", respond: { text: "{text}" } }
          - { route: "app:/typed/:id", input: { id: int, n: { type: int, required: false } }, respond: { ok: 1 } }
          - { route: "app:/typed/:id", input: { id: date }, respond: { ok: 1 } }
          - { route: "app:/run/:status", input: { status: int }, exec: [sh, -c, exit $XCALLBACK_PARAM_STATUS] }
          - { route: "app:/away", redirect: "other:/" }
          - { route: "app:/edit", deliver: editor }
        """

    /// Returns the statistics of each route, without times.
    private static func traffic(of daemon: RunningDaemon) throws -> [String] {
        let rows = try #require(try RouterClient(daemon.socket).call("Status")["traffic"]?.elements)
        return rows.map { row in
            let counts = ["requests", "successes", "errors", "cancels", "redirects"]
                .map { row[$0]?.integer.map(String.init) ?? "?" }
            let codes = (row["codes"]?.elements ?? [])
                .map { "\($0["code"]?.integer.map(String.init) ?? "other"):\($0["errors"]?.integer ?? 0)" }
            return ([row["route"]?.text ?? "none", counts.joined(separator: "/")] + codes).joined(separator: " ")
        }
    }

    private static func seconds(_ row: JSONValue?, _ name: String) throws -> Double {
        guard case .number(let number)? = row?[name] else { throw TestFailure("no \(name) in \(row ?? .null)") }
        return try #require(Double(number.text))
    }

    @Test func eachRequestIsCountedOnceForTheRouteThatEndsIt() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try daemon.connect()
        for line in [
            "app:/echo/a", "app:/echo/b", "app:/typed/1?n=1", "app:/typed/1?n=x", "app:/typed/2026-01-31",
            "app:/typed/x",
            "app:/run/0", "app:/run/7", "app:/run/130", "app:/away", "app:/none", "zzz:/none", "app:/%", "app:/edit",
        ] {
            _ = try client.ask(line)
        }
        expect(
            try Self.traffic(of: daemon),
            equals: [
                "none 4/0/4/0/0 400:1 404:3", "app:/echo/:text 2/2/0/0/0", "app:/typed/:id 3/2/1/0/0 422:1",
                "app:/run/:status 3/1/1/1/0 7:1", "app:/away 1/0/0/0/1", "app:/edit 1/0/1/0/0 503:1",
            ])
    }

    @Test func timesAreThoseOfTheRequests() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: "app:/now", respond: { ok: 1 } }
              - { route: "app:/slow", exec: [sleep, "0.2"] }
            """)
        let client = try daemon.connect()
        for line in ["app:/now", "app:/slow", "app:/slow"] { _ = try client.ask(line) }
        let rows = try RouterClient(daemon.socket).call("Status")["traffic"]?.elements ?? []
        let (now, slow) = (rows.first { $0["route"] == "app:/now" }, rows.first { $0["route"] == "app:/slow" })
        #expect(try Self.seconds(now, "time") > 0)
        expect(try Self.seconds(now, "longest"), equals: try Self.seconds(now, "time"))
        #expect(try Self.seconds(slow, "longest") >= 0.2)
        #expect(try Self.seconds(slow, "time") >= 0.2 + Self.seconds(slow, "longest"))
    }

    @Test func aReloadTakesNoCountAway() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try daemon.connect()
        _ = try client.ask("app:/echo/a")
        try daemon.reload("schemes: [app]\nroutes: [{ route: 'app:/new', respond: { ok: 1 } }]\n")
        for line in ["app:/echo/a", "app:/new"] { _ = try client.ask(line) }
        try daemon.reload(Self.configuration)
        _ = try client.ask("app:/echo/a")
        expect(
            try Self.traffic(of: daemon),
            equals: ["none 1/0/1/0/0 404:1", "app:/echo/:text 2/2/0/0/0", "app:/new 1/1/0/0/0"])
    }

    @Test func aRequestThatWaitsDuringAReloadCountsForItsRoute() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (receiver, asker) = try (RouterClient(daemon.socket), daemon.connect())
        try receiver.receive("editor")
        try asker.send("app:/edit\n")
        let request = try receiver.request()
        try daemon.reload("schemes: [app]\nroutes: [{ route: 'app:/new', deliver: editor }]\n")
        try RouterClient(daemon.socket).respond(to: request)
        _ = try asker.readLine()
        expect(try Self.traffic(of: daemon), equals: ["app:/edit 1/1/0/0/0"])
    }

    @Test func routesAndCodesAreCountedOneByOneUpToALimit() throws {
        let routes = (0..<1_002).map { "  - { route: \"app:/r\($0)\", respond: { ok: 1 } }\n" }.joined()
        let daemon = try RunningDaemon(Self.configuration + "\n" + routes)
        let client = try daemon.connect()
        for number in 0..<1_002 { _ = try client.ask("app:/r\(number)") }
        var rows = try Self.traffic(of: daemon)
        #expect(rows.count == 1_001)
        #expect(rows[0] == "other 2/2/0/0/0")
        #expect(rows.last == "app:/r999 1/1/0/0/0")
        for status in 1...18 { _ = try client.ask("app:/run/\(status)") }
        rows = try Self.traffic(of: daemon)
        let codes = (1...16).map { "\($0):1" }.joined(separator: " ")
        #expect(rows[0] == "other 20/2/18/0/0 \(codes) other:2")
    }

    @Test func receiversAreReportedWithWhatTheyHave() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (first, second, asker) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), daemon.connect()
        )
        try first.receive("editor", prefetch: 3)
        try asker.send("app:/edit\n")
        let request = try first.request()
        try second.receive("editor")
        let client = try RouterClient(daemon.socket)
        let rows = try #require(try client.call("Status")["receivers"]?.elements)
        #expect(rows.map { $0["name"]?.text } == ["editor", "editor"])
        #expect(rows.map { $0["requests"]?.integer } == [1, 0])
        #expect(rows.map { $0["prefetch"]?.integer } == [3, 1])
        #expect(rows.allSatisfy { $0["peer"]?["pid"]?.integer == Int(getpid()) })
        #expect(try Self.seconds(rows[0], "uptime") >= Self.seconds(rows[1], "uptime"))
        try client.respond(to: request)
        _ = try asker.readLine()
        let requests = try client.call("Status")["receivers"]?.elements?.map { $0["requests"]?.integer }
        #expect(requests == [0, 0])
        withExtendedLifetime(second) {}
    }
}
