import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The effect of a restart with a permanent socket on well-behaved clients: none.
@Suite(.blocking)
struct RestartTests {
    private static let configuration = """
        schemes: [n]
        limits: { drain-time: 20s }
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
        """

    @Test func whoComesWhileThereIsNoDaemonIsServedByTheNext() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: true)
        let first = try site.start()
        expect(try site.connect().ask("n:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
        expect(try first.stop(), equals: 0)
        let clients = try (0..<300).map { _ in try site.connect() }
        for (number, client) in clients.enumerated() { try client.send("n:/echo?v=\(number)\n") }
        let next = try site.start()
        for (number, client) in clients.enumerated() {
            expect(try client.readLine(), equals: "xcallback://x-callback-url/success?v=\(number)")
        }
        expect(try next.stop(), equals: 0)
    }

    @Test func whoHasConnectedMayStillSend() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: true)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let other = try site.connect()
        let client = try site.connect()
        // The daemon has accepted all clients that connected before this one.
        _ = try site.connect().ask("n:/echo")
        _ = try other.ask("n:/echo")
        daemon.process.send(signal: SIGTERM)
        // The other client is notified to send nothing more.
        expect(try other.readLine(), equals: nil)
        expect(try Array("n:/echo\n".utf8).withUnsafeBytes { try other.trySend($0) }, equals: 0)
        expect(try client.ask("n:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
        expect(try daemon.process.wait(), equals: 0)
    }

    @Test func aLineThatIsNotWholeIsNoRequestUnlessItsClientSaysSo() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: true)
        let daemon = try site.start()
        let (half, whole) = (try site.connect(), try site.connect())
        for client in [half, whole] { _ = try client.ask("n:/echo") }
        try daemon.process.pause()
        for client in [half, whole] { try client.send("n:/echo?v=1\nn:/echo?v=2") }
        whole.endSending()
        daemon.process.send(signal: SIGTERM)
        daemon.process.send(signal: SIGCONT)
        expect(try half.readToEnd(), equals: ["xcallback://x-callback-url/success?v=1"])
        expect(try whole.readToEnd(), equals: (1...2).map { "xcallback://x-callback-url/success?v=\($0)" })
        expect(try daemon.process.wait(), equals: 0)
    }
}
