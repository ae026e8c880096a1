import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Notifications to the service manager while the daemon serves.
@Suite(.blocking)
struct WatchdogTests {
    private let configuration = RunningDaemon.echoConfiguration

    @Test func theLoopGivesSignsOfLife() throws {
        let daemon = try RunningDaemon(configuration, environment: ["WATCHDOG_USEC=200000"])
        for _ in 0..<3 { expect(try daemon.manager.receive(besides: "STATUS="), equals: "WATCHDOG=1") }
        expect(try daemon.stop(), equals: 0)
    }

    @Test(arguments: [["WATCHDOG_USEC=1000", "WATCHDOG_PID=1"], []])
    func whereNobodyWatchesThereAreNone(environment: [String]) throws {
        let daemon = try RunningDaemon(configuration, environment: environment)
        _ = try daemon.connect().ask("notes:/ping")
        // The status comes long after the time of a watchdog notification.
        expect(try daemon.manager.receive()) { $0.hasPrefix("STATUS=") }
        expect(try daemon.stop(), equals: 0)
        expect(try daemon.manager.receive()) { $0.hasPrefix("STOPPING=1") }
    }

    @Test func theStatusHasTheFiguresSoonAfterSomethingHasHappened() throws {
        let daemon = try RunningDaemon(configuration)
        let client = try daemon.connect()
        for action in ["ping", "ping", "no-such-action"] { _ = try client.ask("notes:/\(action)") }
        // A report may come between two requests.
        let status = "STATUS=Serving 2 routes on \(daemon.socket), 1 connection, 3 requests, 1 error"
        while try daemon.manager.receive() != status {}
        _ = try client.ask("notes:/ping")
        expect(try daemon.manager.receive()) { $0.hasSuffix(", 4 requests, 1 error") }
    }
}
