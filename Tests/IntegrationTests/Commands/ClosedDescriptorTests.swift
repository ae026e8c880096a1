import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Programs that are started without some of the descriptors 0, 1 and 2.
@Suite(.blocking)
struct ClosedDescriptorTests {
    private static let closing = "exec 0<&- 1>&- 2>&-"

    private func targets(of process: ChildProcess) -> [String?] {
        (0...2).map { targetOfLink("/proc/\(process.id)/fd/\($0)") }
    }

    @Test func theDaemonPutsTheNullDeviceInTheirPlace() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            middleware: [log]
            routes: [{ route: app:/ping, respond: { pong: 1 } }]
            """, preparation: Self.closing)
        #expect(targets(of: daemon.process) == Array(repeating: "/dev/null", count: 3))
        let client = try daemon.connect()
        _ = try client.ask("app:/nowhere")
        expect(try client.ask("app:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
    }

    @Test func theCommandPutsTheNullDeviceInTheirPlace() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/ping, respond: { pong: 1 } }]")
        let output = daemon.directory.path(of: "output")
        let command = try ChildProcess(
            [
                "/bin/bash", "-c", "\(Self.closing); exec \"$0\" \"$@\"", RunningDaemon.program("xcallback"), "monitor",
                "--socket", daemon.socket,
            ], environment: ["PATH=/usr/bin:/bin"], output: output)
        let client = try daemon.connect()
        try daemon.ask("app:/ping", on: client) {
            targets(of: command) == Array(repeating: "/dev/null", count: 3)
        }
    }
}
