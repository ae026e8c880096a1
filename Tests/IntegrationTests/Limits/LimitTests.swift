import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Clients at the limits of connections and time, and the cost of a daemon that waits.
@Suite(.blocking)
struct LimitTests {
    private static let answer = "xcallback://x-callback-url/success?pong=1"

    @Test
    func aClientOverTheLimitIsClosedAndTheOthersAreServed() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration + "limits: { connections: 5 }\n")
        let clients = try (0..<5).map { _ in try daemon.connect() }
        for client in clients { expect(try client.ask("notes:/ping"), equals: Self.answer) }
        for _ in 0..<100 { expect(try daemon.connect().readLine(), equals: nil) }
        for client in clients { expect(try client.ask("notes:/ping"), equals: Self.answer) }
        let message = "connection refused: too many connections of a user"
        let lines = try daemon.log.split(separator: "\n").filter { $0.contains(message) }
        #expect(lines.count == 100)
        #expect(lines.first?.contains("limit=5") == true)
        #expect(lines.first?.contains("limits: connections") == true)
        #expect(lines.first?.contains("peer.uid=\(geteuid())") == true)
    }

    /// The loop waits a second at a time, so a longer limit takes another path through it.
    @Test(arguments: ["200ms", "1500ms"])
    func aClientWithoutAFirstByteIsClosed(limit: String) throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration + "limits: { first-byte: \(limit) }\n")
        // The time begins when the daemon accepts a client.
        try daemon.process.pause()
        let slow = try daemon.connect()
        try slow.send("n")
        let silent = try daemon.connect()
        daemon.process.send(signal: SIGCONT)
        expect(try silent.readLine(), equals: nil)
        expect(try slow.ask("otes:/ping"), equals: Self.answer)
    }

    /// Lets time pass: nothing announces that a daemon does nothing.
    private static func observe(seconds: Int32) { poll(nil, 0, seconds * 1000) }

    @Test
    func anIdleDaemonDoesNothing() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration + "limits: { first-byte: 2s }\n")
        let client = try daemon.connect()
        expect(try client.ask("notes:/ping"), equals: Self.answer)
        let half = try daemon.connect()
        try half.send("notes:/pin")
        half.endSending()
        _ = try half.readToEnd()
        // Work that was begun with the start has ended by then.
        Self.observe(seconds: 2)
        let switches = try daemon.state.voluntarySwitches
        let time = try daemon.state.processorTime
        Self.observe(seconds: 3)
        // A busy loop sleeps far more often, or never.
        #expect(try daemon.state.voluntarySwitches - switches < 10)
        #expect(try daemon.state.processorTime - time < .milliseconds(50))
        expect(try client.ask("notes:/ping"), equals: Self.answer)
    }
}
