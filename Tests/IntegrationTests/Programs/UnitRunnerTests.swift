import Testing
import XCallbackTesting

/// Programs of a user's daemon without a service manager; those with one are tested on booted systemd.
@Suite(.timeLimit(.minutes(10)))
struct UnitRunnerTests {
    private static let configuration = """
        schemes: [run]
        routes:
          - { route: run:/usual, exec: [echo, hello] }
          - { route: run:/unit, exec: [echo, hello], runner: unit }
          - { route: run:/apart, exec: [touch, /dev/null], detach: true, runner: unit }
          - { route: run:/nobody, deliver: nobody, start: [sleep, "600"], runner: unit }
        """

    /// Sends a request to a daemon that may find a bus, and returns the daemon's log.
    private static func ask(_ environment: [String]) throws -> String {
        let daemon = try RunningDaemon(configuration, environment: environment)
        let client = try daemon.connect()
        for _ in 0..<2 { #expect(try client.ask("run:/usual") == result("hello")) }
        for path in ["unit", "apart"] {
            let answer = try #require(try client.ask("run:/\(path)"))
            #expect(answer.hasPrefix(failure(503)) && answer.contains("runner%3A%20unit"), "\(path): \(answer)")
        }
        #expect(try #require(try client.ask("run:/nobody")).hasPrefix(failure(503)))
        try daemon.stop()
        return try daemon.log
    }

    @Test func withoutABusTheDaemonRunsThem() throws {
        let log = try Self.ask(["XDG_RUNTIME_DIR=/nowhere"])
        // Once, and not for each program.
        #expect(log.split(separator: "cannot run programs in the user's service manager").count == 2, "\(log)")
    }

    @Test func aBusThatLetsNobodyInHoldsThemUpOnceOnly() throws {
        let directory = try TemporaryDirectory()
        // The bus accepts connections, and never replies.
        let bus = try SocketServer(directory.path(of: "bus"), patience: 600) { socket in
            var bytes: [UInt8] = []
            while try socket.receive(into: &bytes) {}
        }
        let log = try Self.ask(["DBUS_SESSION_BUS_ADDRESS=unix:path=\(directory.path(of: "bus"))"])
        #expect(log.contains("cannot run programs in the user's service manager"), "\(log)")
        withExtendedLifetime(bus) {}
    }
}
