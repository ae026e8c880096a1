import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// The routes that clients get.
@Suite(.blocking)
struct CatalogueTests {
    private static func routes(_ count: Int, text: String = "x") -> String {
        "schemes: [app]\nroutes:\n"
            + (0..<count).map {
                "  - { route: \"app:/r\($0)/:id\", title: \"Route \($0)\", description: \"\(text)\", respond: {} }\n"
            }.joined() + "  - { route: app:/ping, respond: {} }\n"
    }

    /// Returns the routes of the next reply, and its revision.
    private static func list(_ client: RouterClient) throws -> (names: [String], revision: Int?) {
        let reply = try client.reply()
        return (reply["routes"]?.elements?.compactMap { $0["route"]?.text } ?? [], reply["revision"]?.integer)
    }

    @Test func aWatchReceivesTheWholeListAgain() throws {
        let daemon = try RunningDaemon(Self.routes(500))
        let client = try RouterClient(daemon.socket)
        try client.send("Routes", mode: .more)
        expect(try Self.list(client).names.count, equals: 501)
        // A reload without changes sends nothing.
        try daemon.reload(Self.routes(500) + "# a comment\n")
        try daemon.reload(Self.routes(500, text: "y"))
        let second = try Self.list(client)
        #expect(second.names.count == 501 && second.revision == 2)
        // The same holds for a client that sees only other routes.
        let other = try RouterClient(daemon.socket)
        try other.send("Routes", ["prefix": "app:/ping"], mode: .more)
        expect(try Self.list(other).names, equals: ["app:/ping"])
        try daemon.reload(Self.routes(500, text: "z"))
        try daemon.reload(Self.routes(500, text: "z").replacing("app:/ping", with: "app:/ping/more"))
        let third = try Self.list(other)
        #expect(third.names == ["app:/ping/more"] && third.revision == 4)
        expect(try daemon.stop(), equals: 0)
        let error = #expect(throws: (any Error).self) { _ = try other.reply() }
        #expect("\(error as Any)".contains("Stopping"))
    }

    /// A list is made once the client has read the one before, and the last list is always sent.
    @Test func whoReadsSlowlyMissesListsButNotTheLast() throws {
        let text = String(repeating: "x", count: 1500)
        let daemon = try RunningDaemon(Self.routes(600, text: text))
        let client = try RouterClient(daemon.socket)
        try client.send("Routes", mode: .more)
        _ = try client.reply()
        let memory = try daemon.state.residentSize
        for number in 0..<5 { try daemon.reload(Self.routes(600, text: "\(number)\(text)")) }
        var last: JSONValue = .null
        while last["revision"]?.integer != 5 { last = try client.reply() }
        #expect(last["routes"]?.elements?.last?["route"]?.text == "app:/ping")
        // As with reloads alone, which leave some memory in use.
        #expect(try daemon.state.residentSize - memory < 64 << 20)
    }

    @Test func aReloadWhileAListIsMadeCounts() throws {
        let daemon = try RunningDaemon(Self.routes(5000, text: String(repeating: "x", count: 100)))
        // The lists of most clients wait for those of others.
        let clients = try (0..<8).map { _ in try RouterClient(daemon.socket) }
        for client in clients { try client.send("Routes", mode: .more) }
        _ = try RouterClient(daemon.socket).call("Status")
        try daemon.reload(Self.routes(1))
        for client in clients { while try Self.list(client).names != ["app:/r0/:id", "app:/ping"] {} }
    }

    @Test func theLibraryYieldsOnlyWhatDiffers() async throws {
        let daemon = try RunningDaemon(Self.routes(300))
        let updates = try await Client(socket: daemon.socket).routeUpdates()
        var iterator = updates.makeAsyncIterator()
        let first = try #require(await iterator.next())
        #expect(first.count == 301 && first[7].title == "Route 7" && first[7].parameters.map(\.name) == ["id"])
        #expect(first == (try await Client(socket: daemon.socket).routes()))
        try daemon.reload(Self.routes(301))
        expect(try await iterator.next()?.count, equals: 302)
        expect(try daemon.stop(), equals: 0)
        // The same routes of another daemon are not sent again.
        let next = try RunningDaemon(starting: Self.routes(301), in: daemon.directory)
        try next.waitUntilReady()
        try next.reload(Self.routes(302))
        expect(try await iterator.next()?.count, equals: 303)
    }
}
