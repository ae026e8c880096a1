import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The ID that connects an answer with the log, the events, and the request's program.
@Suite(.blocking)
struct RequestIDTests {
    private static let configuration = """
        schemes: [app]
        middleware: [log]
        routes:
          - { route: "app:/echo", respond: { id: "{@request-id}" } }
          - { route: "app:/ask", exec: [sh, -c, "printf %s $XCALLBACK_REQUEST_ID"] }
          - { route: "app:/fail", exec: [sh, -c, "echo $XCALLBACK_REQUEST_ID >&2; exit 3"] }
        """

    private static func id(of reply: JSONValue) throws -> String { try #require(reply["id"]?.text) }

    private static func item(of reply: JSONValue) -> String? { reply["items"]?.elements?.first?["value"]?.text }

    @Test func aRequestHasOneIDEverywhere() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let watcher = try RouterClient(daemon.socket)
        try watcher.send("Monitor", mode: .more)
        _ = try watcher.reply()
        let failed = try Self.id(of: RouterClient(daemon.socket).open("app:/fail"))
        let events = try (0..<2).map { _ in try #require(try watcher.reply()["event"]) }
        #expect(events.map { $0["id"]?.text } == [failed, failed])
        let log = try daemon.log
        let told = log.split(separator: "\n").filter { $0.contains(" request.id=\(failed) ") }
        #expect(told.count == 2)
        #expect(told.first?.contains("a program failed ") == true)
        // The ID that the program received.
        #expect(told.first?.contains(" program.errors=\"\(failed)\\n\"") == true)
        #expect(told.last?.contains("request failed ") == true)
    }

    @Test func eachRequestHasItsOwn() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try RouterClient(daemon.socket)
        let replies = try (0..<3).flatMap { _ in [try client.open("app:/echo"), try client.open("app:/ask")] }
        let ids = try replies.map(Self.id)
        #expect(replies.map(Self.item) == ids)
        let numbers = ids.compactMap { $0.split(separator: "-").last.flatMap { Int($0) } }
        #expect(numbers == Array(1...6))
        #expect(Set(ids.map { $0.prefix(8) }).count == 1)
        let next = try RunningDaemon(Self.configuration)
        #expect(try Self.id(of: RouterClient(next.socket).open("app:/echo")).prefix(8) != ids[0].prefix(8))
    }

    @Test func whatFollowsFromARequestHasItsID() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try RouterClient(daemon.socket)
        let reply = try client.call(
            "Open", ["url": "app:/echo?x-success=app:/ask%3Fx-success%3Dapp:/echo", "follow": .bool(true)])
        #expect(Self.item(of: reply) == (try Self.id(of: reply)))
        expect(try Self.id(of: client.open("app:/echo"))) { $0.hasSuffix("-2") }
    }

    @Test func aURLThatIsTooLongIsNoRequest() throws {
        let daemon = try RunningDaemon("\(Self.configuration)\nlimits: { line: 1024 }")
        let reply = try RouterClient(daemon.socket).open("app:/echo?\(String(repeating: "a", count: 1025))")
        #expect(reply["code"]?.integer == 413)
        #expect(reply["id"] == .null)
    }
}
