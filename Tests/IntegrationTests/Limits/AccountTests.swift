import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The limits of users' resources, and the clients that are rejected at a limit.
@Suite(.blocking)
struct AccountTests {
    private static let success = "xcallback://x-callback-url/success"
    private static let failure = "xcallback://x-callback-url/error?errorCode="

    private static func daemon(_ limits: String, _ routes: String = "") throws -> RunningDaemon {
        try RunningDaemon(
            """
            schemes: [app]
            limits: { \(limits) }
            routes:
              - { route: "app:/ping", respond: { pong: 1 } }
            \(routes)
            """)
    }

    /// The resources of an account, as the daemon reports them.
    private static func used(
        _ resource: String, of userID: UInt32?, _ daemon: RunningDaemon, _ kind: String = "socket"
    ) throws -> Int {
        let accounts = try RouterClient(daemon.socket).call("Status")["accounts"]?.elements ?? []
        let account = accounts.first {
            $0["class"]?.text == kind && $0["user"]?.integer == userID.map(Int.init)
        }
        return account?["limits"]?.elements?.first { $0["name"]?.text == resource }?["used"]?.integer ?? 0
    }

    private static func subscribers(_ count: Int, of daemon: RunningDaemon) throws -> [RouterClient] {
        try (0..<count).map { _ in
            let client = try RouterClient(daemon.socket)
            try client.subscribe("news")
            return client
        }
    }

    @Test func programsThatLiveOnCountUntilTheyHaveEnded() throws {
        let daemon = try Self.daemon(
            "processes: 2", "  - { route: \"app:/start/:time\", exec: [sleep, \"{time}\"], detach: true }")
        let client = try daemon.connect()
        for _ in 0..<2 { expect(try client.ask("app:/start/600"), equals: Self.success) }
        let refusal = try client.ask("app:/start/0")
        #expect(refusal?.hasPrefix("\(Self.failure)429") == true)
        #expect(refusal?.contains("has%20reached%20a%20limit%3A%202%20of%202%20running%20programs") == true)
        #expect(refusal?.contains("limits%3A%20processes") == true)
        kill(try #require(daemon.state.children.first), SIGTERM)
        try daemon.ask("app:/ping", on: client) { try client.ask("app:/start/0") == Self.success }
        #expect(try Self.used("processes", of: geteuid(), daemon) >= 1)
    }

    @Test func whatTheDesktopAsksIsCountedByItself() throws {
        let daemon = try Self.daemon(
            "requests: 8", "  - { route: \"app:/wait\", public: true, exec: [sleep, \"600\"] }")
        let clients = try (0..<3).map { _ in try RouterClient(daemon.socket) }
        try clients[0].send("Open", ["url": "app:/wait", "origin": "desktop"])
        try daemon.ask("app:/ping", on: daemon.connect()) {
            try Self.used("requests", of: geteuid(), daemon, "desktop") == 1
        }
        let refused = try clients[1].call("Open", ["url": "app:/wait", "origin": "desktop"])
        #expect(refused["code"]?.integer == 429)
        #expect(
            refused["message"]?.text?.contains("(desktop) has reached a limit: 1 of 1 requests in progress") == true)
        try clients[2].send("Open", ["url": "app:/wait"])
        // Those of the desktop are the user's, too.
        try daemon.ask("app:/ping", on: daemon.connect()) { try Self.used("requests", of: geteuid(), daemon) == 2 }
        expect(try Self.used("connections", of: geteuid(), daemon, "desktop"), equals: 2)
    }

    @Test func aConnectionThatMayNotBeTheDesktopsStaysCounted() throws {
        let daemon = try Self.daemon("connections: 16", "  - { route: app:/open, public: true, respond: }")
        let clients = try (0..<4).map { _ in try RouterClient(daemon.socket) }
        let codes = try clients.map { try $0.call("Open", ["url": "app:/open", "origin": "desktop"])["code"]?.integer }
        #expect(codes == [nil, nil, 429, 429])
        // And the connection of this question.
        expect(try Self.used("connections", of: geteuid(), daemon), equals: 5)
    }

    @Test func subscribersThatDoNotReadHoldWhatTheirUserMay() throws {
        let daemon = try Self.daemon(
            "bytes: 2MiB, queued-output: 4MiB", "  - { route: \"app:/publish\", publish: news }")
        let subscribers = try Self.subscribers(50, of: daemon)
        let before = try daemon.state.anonymousSize
        let publisher = try daemon.connect()
        let event = String(repeating: "x", count: 10_000)
        for _ in 0..<300 {
            expect(try publisher.ask("app:/publish?text=\(event)")) { $0?.hasPrefix(Self.success) == true }
        }
        // The messages that wait for the subscribers were not written to any socket yet.
        #expect(try daemon.state.anonymousSize < before + 16 * 1_048_576)
        #expect(try Self.used("bytes", of: geteuid(), daemon) <= 2 * 1_048_576)
        // Each subscriber gets a report of lost events once it reads.
        for client in subscribers {
            while try client.reply()["event"]?["missed"]?.integer == nil {}
        }
    }

    /// The daemon is paused while all of them publish, so that it must distribute all events at once.
    @Test func whoPublishesTooMuchAtOnceIsRefused() throws {
        let daemon = try Self.daemon(
            "bytes: 1MiB, first-byte: 5m, message-time: 5m", "  - { route: \"app:/publish\", publish: news }")
        let subscribers = try Self.subscribers(100, of: daemon)
        let publishers = try (0..<100).map { _ in try daemon.connect() }
        try daemon.process.pause()
        let text = String(repeating: "x", count: 50_000)
        for publisher in publishers { try publisher.send("app:/publish?text=\(text)\n") }
        daemon.process.send(signal: SIGCONT)
        let answers = try publishers.map { try $0.readLine() ?? "" }
        let refused = answers.filter { $0.hasPrefix("\(Self.failure)429") }
        #expect(refused.count + answers.count { $0 == "\(Self.success)?reached=100" } == 100)
        #expect((1..<100).contains(refused.count))
        #expect(refused.allSatisfy { $0.contains("limits%3A%20bytes") })
        withExtendedLifetime(subscribers) {}
        expect(try publishers[0].ask("app:/ping"), equals: "\(Self.success)?pong=1")
    }

    @Test func whatIsBegunIsCompletedInTime() throws {
        let directory = try TemporaryDirectory()
        let gate = try Gate(in: directory)
        let daemon = try Self.daemon(
            "message-time: 5s", "  - { route: \"app:/wait\", exec: [sh, -c, 'read line <\"$0\"', \(gate.path)] }")
        // The rest is handled only once the program has ended.
        let waiting = try daemon.connect()
        try waiting.send("app:/wait\napp:/pi")
        let line = try daemon.connect()
        try line.send("app:/ping\napp:/pi")
        expect(try line.readLine(), equals: "\(Self.success)?pong=1")
        expect(try line.readLine()) { $0?.hasPrefix("\(Self.failure)504") == true }
        expect(try line.readLine(), equals: nil)
        let message = try RouterClient(daemon.socket)
        _ = try message.call("Status")
        try message.send(bytes: Array("{\"method\":".utf8))
        #expect(throws: TestFailure.self) { try message.reply() }
        try gate.open()
        expect(try waiting.readLine()) { $0?.hasPrefix(Self.success) == true }
        expect(try waiting.ask("ng"), equals: "\(Self.success)?pong=1")
        expect(try daemon.log) { $0.contains("connection ended: The message was not completed within 5.0 seconds") }
    }

    /// A message that the client has completed is not read until the client reads, so its time limit does not run.
    @Test func whoDoesNotReadIsNotLateWithAMessage() throws {
        let text = String(repeating: "x", count: 4_096)
        let daemon = try Self.daemon(
            "message-time: 300ms",
            """
              - { route: "app:/long", respond: { text: \(text) } }
              - { route: "app:/wait", exec: [sleep, "1"] }
            """)
        let client = try daemon.connect()
        // More than the socket accepts, and less than is written before the client has read anything.
        let count = 60
        try client.send(String(repeating: "app:/long\n", count: count) + "app:/pi")
        let other = try daemon.connect()
        expect(try other.ask("app:/ping"), equals: "\(Self.success)?pong=1")
        try client.send("ng\n")
        expect(try other.ask("app:/wait")) { $0?.hasPrefix(Self.success) == true }
        for _ in 0..<count { expect(try client.readLine(), equals: "\(Self.success)?text=\(text)") }
        expect(try client.readLine(), equals: "\(Self.success)?pong=1")
    }

    @Test func bytesThatAreBegunAreLimited() throws {
        let daemon = try Self.daemon("bytes: 74898")
        let lines = try (0..<3).map { _ in try daemon.connect() }
        let half = "app:/ping?text=" + String(repeating: "x", count: 30_000)
        for line in lines[..<2] { try line.send(half) }
        try waitUntil("the bytes are counted") { try Self.used("bytes", of: geteuid(), daemon) >= 60_000 }
        // The last request exceeds the limit.
        try lines[2].send(half)
        let refused = try #require(try lines[2].readLine())
        #expect(refused.hasPrefix("\(Self.failure)429"))
        #expect(refused.contains("limits%3A%20bytes"))
        expect(try lines[2].readLine(), equals: nil)
        for line in lines[..<2] { expect(try line.ask(""), equals: "\(Self.success)?pong=1") }
        expect(try Self.used("bytes", of: geteuid(), daemon), equals: 0)
    }

    /// What a call keeps as long as its stream: names, prefixes and conditions.
    @Test func theParametersOfAStreamAreCounted() throws {
        let daemon = try Self.daemon("bytes: 131072")
        let text = JSONValue.string(String(repeating: "a", count: 50_000))
        var clients: [RouterClient] = []
        func watchRoutes() throws {
            clients.append(try RouterClient(daemon.socket))
            try clients.last?.send("Routes", ["prefix": text], mode: .more)
            _ = try clients.last?.reply()
        }
        for count in 1...2 {
            try watchRoutes()
            expect(try Self.used("bytes", of: geteuid(), daemon)) { $0 >= 50_000 * count }
        }
        #expect(throws: VarlinkError.self) { try watchRoutes() }
        clients = []
        try waitUntil("the bytes are free") { try Self.used("bytes", of: geteuid(), daemon) == 0 }
        let many = JSONValue.array(Array(repeating: "app", count: 257))
        #expect(throws: VarlinkError.self) { _ = try RouterClient(daemon.socket).call("Routes", ["schemes": many]) }
    }

    /// Connects clients of other users, each of which holds a connection.
    private static func connect(_ userIDs: [UInt32], to daemon: RunningDaemon) throws -> [ChildProcess] {
        let complaints = daemon.directory.path(of: "complaints")
        return try userIDs.map { userID in
            try ChildProcess(
                [
                    "/usr/bin/setpriv", "--reuid", "\(userID)", "--clear-groups", "/bin/sh", "-c",
                    "sleep 600 | nc -U \(daemon.socket)",
                ], environment: ["PATH=/usr/bin:/bin"], output: complaints)
        }
    }

    /// Otherwise a user namespace would give a user the limits of 65,536 users.
    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func subordinateUsersCountWithTheirOwner() throws {
        let daemon = try RunningDaemon.withSubordinateUsers(
            "schemes: [app]\nlimits: { connections: 40, first-byte: 10m }\nroutes: [{ route: app:/ping, respond: { pong: 1 } }]"
        )
        var clients = try Self.connect([200_001, 200_001, 200_002, 264_535, 64_000, 64_000, 200_003], to: daemon)
        clients += try Self.connect([4_000_000_000, 4_000_000_001, 4_000_000_002, 4_000_000_003], to: daemon)
        clients += try Self.connect([4_000_000_004, 4_000_000_005, 65_534], to: daemon)
        let own = try daemon.connect()
        try daemon.ask("app:/ping", on: own) {
            let held = [(64_000, 5), (nil, 5), (65_534, 1)] as [(UInt32?, Int)]
            return try held.allSatisfy { try Self.used("connections", of: $0.0, daemon) == $0.1 }
                && RouterClient(daemon.socket).call("Status")["total"]?["refused_connections"]?.integer == 3
        }
        let refusals = try daemon.log.split(separator: "\n").filter { $0.contains("too many connections of a user") }
        #expect(!refusals.isEmpty)
        #expect(refusals.allSatisfy { $0.contains("limits: connections") && $0.contains("limit=5") })
        withExtendedLifetime(clients) {}
    }
}
