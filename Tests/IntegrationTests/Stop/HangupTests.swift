import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// SIGHUP as an administrator sends it.
@Suite(.blocking)
struct HangupTests {
    private static let faulty = "schemes: [notes]\nroute: []\n"

    @Test func anotherConfigurationIsServedAndItsDifferenceIsReported() throws {
        let daemon = try RunningDaemon(Self.configuration(version: 1))
        let client = try daemon.connect()
        expect(try client.ask("notes:/version"), equals: Self.success("version=1"))
        let added = Self.configuration(version: 2) + "  - route: notes:/new\n    respond: { new: \"1\" }\n"
        let status = try daemon.reload(added)
        #expect(status.hasPrefix("READY=1\nSTATUS=Serving 4 routes on \(daemon.socket), 1 connection, 1 request, "))
        expect(try client.ask("notes:/version"), equals: Self.success("version=2"))
        expect(try client.ask("notes:/new"), equals: Self.success("new=1"))
        let file = "\(daemon.directory.path)/config.yaml"
        expect(try daemon.log) { $0.contains("reloaded routes=4 routes.added=1 routes.changed=1 routes.removed=0\n") }
        expect(try daemon.log) { $0.contains("route changed route.pattern=notes:/version route.place=\(file):7\n") }
        expect(try daemon.log) { $0.contains("route added route.pattern=notes:/new route.place=\(file):9\n") }
        try daemon.reload(Self.configuration(version: 3))
        expect(try client.ask("notes:/new")) { $0?.contains("errorCode=404&") == true }
        expect(try daemon.log) { $0.contains("route removed route.pattern=notes:/new route.place=\(file):9\n") }
    }

    @Test func faultsAreReportedAndTheOldTableStays() throws {
        let daemon = try RunningDaemon(Self.configuration(version: 1))
        let client = try daemon.connect()
        let status = try daemon.reload(Self.faulty)
        #expect(status.hasSuffix("; not reloaded: 1 fault, see the log"))
        expect(try daemon.log) { $0.contains("\(daemon.directory.path)/config.yaml:2:1: unknown key 'route'") }
        expect(try daemon.log) { $0.contains("\n  2 | route: []\n    | ^~~~~\n") }
        expect(try daemon.log) {
            $0.contains("not reloaded: the configuration has faults; the previous one stays active")
        }
        expect(try client.ask("notes:/version"), equals: Self.success("version=1"))
        expect(try daemon.connect().ask("notes:/version"), equals: Self.success("version=1"))
        expect(try daemon.reload(Self.configuration(version: 2))) { !$0.contains("fault") }
        expect(try client.ask("notes:/version"), equals: Self.success("version=2"))
    }

    @Test func limitsHoldForWhatComesAfterThem() throws {
        let daemon = try RunningDaemon(Self.configuration(version: 1) + "limits: { first-byte: 10m }\n")
        let first = try daemon.connect()
        let second = try daemon.connect()
        for client in [first, second] { _ = try client.ask("notes:/version") }
        try daemon.reload(Self.configuration(version: 1) + "limits: { connections: 1, line: 256 }\n")
        expect(try daemon.connect().readLine(), equals: nil)
        let long = String(repeating: "x", count: 300)
        expect(try first.ask("notes:/echo?v=\(long)"), equals: Self.success("v=\(long)"))
        try daemon.reload(Self.configuration(version: 1) + "limits: { line: 256 }\n")
        expect(try daemon.connect().ask("notes:/echo?v=\(long)")) { $0?.contains("errorCode=413&") == true }
        try daemon.reload(Self.configuration(version: 1) + "limits: { first-byte: 100ms }\n")
        expect(try daemon.connect().readLine(), equals: nil)
    }

    @Test func theLevelOfTheLogChanges() throws {
        let daemon = try RunningDaemon(Self.configuration(version: 1) + "log: { level: error }\n")
        expect(try daemon.log) { !$0.contains("ready") }
        try daemon.reload(Self.configuration(version: 2))
        expect(try daemon.log) { $0.contains("reloaded") }
    }

    private static func configuration(version: Int) -> String {
        RunningDaemon.echoConfiguration + "  - route: notes:/version\n    respond: { version: \"\(version)\" }\n"
    }

    private static func success(_ items: String) -> String { "xcallback://x-callback-url/success?\(items)" }
}
