import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The service for others while one client sends as many requests as it can.
@Suite(.blocking)
struct FairnessTests {
    private static let configuration = """
        schemes: [app]
        limits: { queued-output: 1MiB, first-byte: 10m }
        routes:
          - { route: "app:/flood", agent: true, respond: { text: flood } }
          - { route: "app:/lone", respond: { text: lone } }
        """

    /// Lets clients send while the daemon is paused, and returns the number of their requests answered before a lone one.
    private static func answersBeforeLoneOne(
        _ daemon: RunningDaemon, lone: LineClient, flood: () throws -> Void
    ) throws -> Int {
        let watcher = try RouterClient(daemon.socket)
        try watcher.send("Monitor", mode: .more)
        expect(try watcher.reply(), equals: ["event": .null])
        try daemon.process.pause()
        try flood()
        try lone.send("app:/lone\n")
        daemon.process.send(signal: SIGCONT)
        expect(try lone.readLine(), equals: "xcallback://x-callback-url/success?text=lone")
        var count = 0
        while try watcher.reply()["event"]?["route"]?.text == "app:/flood" { count += 1 }
        return count
    }

    /// Returns the number of the daemon's sockets that hold a number of unread bytes.
    private static func count(of daemon: RunningDaemon, holding byteCount: Int) throws -> Int {
        let copies = try daemon.state.copyDescriptors()
        defer { for copy in copies { close(copy) } }
        return copies.count { copy in
            var held: Int32 = 0
            return ioctl(copy, UInt(FIONREAD), &held) == 0 && held == byteCount
        }
    }

    private static let flood = String(repeating: "app:/flood\n", count: 1000)

    /// All connections of an assistant share one turn, whatever their requests.
    @Test(arguments: [1, 3], [true, false])
    func aLoneRequestWaitsForOneTurnOfAnAssistantOrOfEachConnectionOfItsUser(
        floodCount: Int, ofAssistant: Bool
    ) throws {
        let directory = try TemporaryDirectory()
        let agentSocket = directory.path(of: "agent/socket")
        let daemon = try RunningDaemon(
            starting: Self.configuration, arguments: ["--agent-socket", agentSocket], in: directory)
        try daemon.waitUntilReady()
        let clients = try (0..<floodCount).map { _ in try LineClient(ofAssistant ? agentSocket : daemon.socket) }
        let lone = try daemon.connect()
        // From then on, the daemon waits for it as for the others.
        for client in clients { _ = try client.ask("app:/flood") }
        _ = try lone.ask("app:/lone")
        let count = try Self.answersBeforeLoneOne(daemon, lone: lone) {
            for client in clients { try client.send(Self.flood) }
        }
        #expect(count <= (ofAssistant ? 64 : 64 * floodCount))
        for client in clients {
            for _ in 0..<1000 { expect(try client.readLine()) { $0?.hasSuffix("=flood") == true } }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func aLoneRequestWaitsForOneTurnOfAnotherUser() throws {
        let daemon = try RunningDaemon(Self.configuration)
        daemon.admitOtherUsers()
        let lone = try daemon.connect()
        // After its first answer, its descriptor counts.
        _ = try lone.ask("app:/lone")
        let before = try daemon.state.descriptorCount
        let flood = try daemon.directory.write(Self.flood, to: "flood")
        let gate = try Gate(in: daemon.directory)
        let send = "(read line <\(gate.path); cat \(flood)) | nc -U \(daemon.socket) >/dev/null"
        let flooders = try ChildProcess(
            [
                "/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", "/bin/bash", "-c",
                "for i in {1..20}; do \(send) & done; wait",
            ], environment: ["PATH=/usr/bin:/bin"], output: daemon.directory.path(of: "complaints"))
        try waitUntil("the flooders have connected") { try daemon.state.descriptorCount >= before + 20 }
        let count = try Self.answersBeforeLoneOne(daemon, lone: lone) {
            try gate.open()
            try waitUntil("all floods have arrived") {
                try Self.count(of: daemon, holding: Self.flood.utf8.count) >= 20
            }
        }
        #expect((1...128).contains(count))
        withExtendedLifetime((flooders, gate)) {}
    }
}
