import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Clients that are connected, or about to be, when the daemon stops.
@Suite(.blocking)
struct DrainTests {
    @Test func whoHasConnectedIsAnsweredThoughNobodyHasAcceptedIt() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        try daemon.process.pause()
        // More than the loop accepts in one turn.
        let clients = try (0..<200).map { _ in try daemon.connect() }
        for (number, client) in clients.enumerated() { try client.send("notes:/echo?v=\(number)\n") }
        daemon.process.send(signal: SIGTERM)
        daemon.process.send(signal: SIGCONT)
        for (number, client) in clients.enumerated() {
            expect(try client.readToEnd(), equals: ["xcallback://x-callback-url/success?v=\(number)"])
        }
        expect(try daemon.process.wait(), equals: 0)
    }

    /// If the system does not reveal whether a client has connected, the daemon waits for the drain time, and reports the
    /// uncertainty.
    @Test func aDaemonOutOfDescriptorsEndsThoughNobodyCanBeAccepted() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration + "limits: { drain-time: 1s }\n")
        try daemon.limitDescriptors(to: 3)
        expect(try daemon.stop(), equals: 75)
        expect(try daemon.log) { $0.contains("ended while clients may have waited to be accepted\n") }
    }

    @Test func theManagerIsAskedForTimeWhileAnswersAreUnread() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        let client = try daemon.connect()
        let other = try daemon.connect()
        let count = 20_000
        let lines = String(repeating: "notes:/ping\n", count: count)
        #expect(try client.sendNow(Array(lines.utf8)[...]) > 0)
        _ = try other.ask("notes:/ping")
        daemon.process.send(signal: SIGTERM)
        let stopping = try daemon.manager.receive(besides: "STATUS=Serving")
        #expect(stopping.hasPrefix("STOPPING=1\nSTATUS=Stopping; 2 connections, "))
        expect(try daemon.manager.receive(), equals: "EXTEND_TIMEOUT_USEC=15000000")
        expect(try daemon.manager.receive()) { $0.hasPrefix("STATUS=Stopping; ") }
        expect(try client.readToEnd()) { !$0.isEmpty }
        expect(try daemon.process.wait(), equals: 0)
    }

    @Test(arguments: [0, 1])
    func aStreamThatNobodyReadsHoldsUpNoEnd(askedBehindCount: Int) throws {
        let daemon = try RunningDaemon(
            "schemes: [notes]\nlimits: { drain-time: \(askedBehindCount == 0 ? "10m" : "1s") }\n"
                + #"routes: [{ route: "notes:/say/:text", respond: {} }]"#)
        let (watcher, other) = try (RouterClient(daemon.socket), daemon.connect())
        try watcher.send("Monitor", mode: .more)
        for _ in 0..<askedBehindCount { try watcher.send("Status") }
        for _ in 0..<5000 { _ = try other.ask("notes:/say/something") }
        // Calls after a stream have pending answers.
        expect(try daemon.stop(), equals: (askedBehindCount == 0 ? 0 : 75))
    }

    /// The way in which a daemon is made to end before it has answered.
    enum Haste: CaseIterable { case secondSignal, expiredTime }

    @Test(arguments: Haste.allCases)
    func anEndThatLeavesRequestsSaysSo(haste: Haste) throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            limits: { drain-time: \(haste == .expiredTime ? "100ms" : "10m") }
            routes: [{ route: app:/wait, exec: [sleep, "600"] }, { route: app:/deliver, deliver: editor }]
            """)
        let clients = try (0..<3).map { _ in try daemon.connect() }
        let (watcher, router) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        try watcher.send("Monitor", mode: .more)
        for client in clients { try client.send("app:/wait\n") }
        try waitUntil("the requests wait") { try router.used("requests") == 3 }
        daemon.process.send(signal: SIGTERM)
        if haste == .secondSignal {
            _ = try daemon.manager.receive(besides: "STATUS=Serving")
            daemon.process.send(signal: SIGTERM)
        } else {
            for client in clients { expect(try client.readLine()) { $0?.contains("errorCode=503") == true } }
        }
        expect(try daemon.process.wait(), equals: 75)
        let loss = "ended before all requests were answered client.count=3 client.uids=\(geteuid())\n"
        expect(try daemon.log) { $0.contains(loss) }
    }
}
