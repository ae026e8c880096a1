import Glibc
import Testing
import XCallbackTesting

/// Each user's rejected or ended connections are in the log.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root may become another user"))
struct RefusalCountTests {
    private static func daemon(_ limits: String) throws -> RunningDaemon {
        let daemon = try RunningDaemon(
            "schemes: [app]\nlimits: { \(limits) }\nroutes:\n  - { route: \"app:/ping\", respond: { pong: 1 } }\n")
        chmod(daemon.directory.path, 0o755)
        chmod(daemon.socket, 0o666)
        return daemon
    }

    /// Connects clients of another user, which start a message.
    private static func connect(_ count: Int, of userID: UInt32, to daemon: RunningDaemon) throws -> ChildProcess {
        let complaints = daemon.directory.path(of: "complaints")
        let client = "(printf app:/pi; sleep 600) | nc -U \(daemon.socket) & "
        return try ChildProcess(
            [
                "/usr/bin/setpriv", "--reuid", "\(userID)", "--clear-groups", "/bin/sh", "-c",
                String(repeating: client, count: count) + "wait",
            ], environment: ["PATH=/usr/bin:/bin"], output: complaints, error: complaints)
    }

    /// Returns the log lines about a user with a text, once there is one.
    private static func lines(_ text: String, of userID: UInt32, _ daemon: RunningDaemon) throws -> [Substring] {
        var lines: [Substring] = []
        try daemon.ask("app:/ping", on: daemon.connect()) {
            lines = try daemon.log.split(separator: "\n").filter {
                $0.contains(text) && $0.contains("peer.uid=\(userID)")
            }
            return !lines.isEmpty
        }
        return lines
    }

    @Test func endedConnectionsAreLoggedWithTheirUser() throws {
        let daemon = try Self.daemon("message-time: 300ms")
        let others = try Self.connect(20, of: 64_000, to: daemon)
        #expect(try Self.lines("connection ended", of: 64_000, daemon).count <= 20)
        let other = try Self.connect(1, of: 64_001, to: daemon)
        #expect(try Self.lines("connection ended", of: 64_001, daemon).count == 1)
        withExtendedLifetime((others, other)) {}
    }

    @Test func refusedConnectionsAreLoggedWithTheirUser() throws {
        let daemon = try Self.daemon("connections: 8")
        let others = try Self.connect(20, of: 64_000, to: daemon)
        #expect(try Self.lines("connection refused", of: 64_000, daemon).count <= 19)
        let other = try Self.connect(2, of: 64_001, to: daemon)
        #expect(try Self.lines("connection refused", of: 64_001, daemon).count == 1)
        withExtendedLifetime((others, other)) {}
    }
}
