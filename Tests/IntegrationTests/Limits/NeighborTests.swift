import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// What a user's clients can hold or cost, whatever uids, groups and classes they have.
@Suite(.blocking)
struct NeighborTests {
    private static let success = "xcallback://x-callback-url/success"
    private static let failure = "xcallback://x-callback-url/error?errorCode="

    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/members", policies: [{ group: 5000001 }], respond: {} }
          - { route: "app:/list", input: { n: { type: list, of: int } }, respond: {} }
          - { route: "app:/some", input: { t: { type: list } }, policies: [{ require: { t: [a] } }], respond: {} }
          - { route: "app:/wait", deliver: editor, wait: 600s, timeout: 600s }
        """

    /// Runs a script with the path of the socket as `$socket`, and returns the lines of its output.
    private static func lines(of script: String, at daemon: RunningDaemon) throws -> [Substring] {
        try ChildProcess.run(
            ["/bin/sh", "-c", "exec 2>/dev/null; \(script)"],
            environment: ["PATH=/usr/bin:/bin", "socket=\(daemon.socket)"]
        ).output.split(separator: "\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func moreGroupsThan1024AreRefused() throws {
        let daemon = try RunningDaemon(Self.configuration)
        daemon.admitOtherUsers()
        func answers(groups count: Int) throws -> [Substring] {
            let groups = (0..<count).map { "\(5_000_000 + $0)" }.joined(separator: ",")
            let requests = String(repeating: "app:/members\\n", count: 50)
            return try Self.lines(
                of: "printf '\(requests)' | setpriv --reuid 64000 --groups \(groups) nc -N -U \"$socket\"", at: daemon)
        }
        expect(try answers(groups: 1024), equals: Array(repeating: Self.success[...], count: 50))
        let refused = try answers(groups: 1025)
        #expect(refused.count == 50 && refused.allSatisfy { $0.contains("are%20unknown%2C%20or%20more%20than%201024") })
    }

    @Test func theElementsOfListsAreLimitedAsParametersAre() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try daemon.connect()
        func list(_ count: Int, _ element: String) -> String {
            Array(repeating: element, count: count).joined(separator: ",")
        }
        expect(try client.ask("app:/list?n=\(list(200, "1"))&n=\(list(56, "1"))"), equals: Self.success)
        let refused = try client.ask("app:/list?n=\(list(200, "1"))&n=\(list(57, "1"))")
        let reason = "The%20lists%20of%20the%20request%20have%20more%20than%20256%20elements."
        #expect(refused == "\(Self.failure)413&errorMessage=\(reason)")
        expect(try client.ask("app:/some?t=\(list(256, "a"))"), equals: Self.success)
        expect(try client.ask("app:/some?t=\(list(257, "a"))")) { $0?.hasPrefix("\(Self.failure)403") == true }
    }

    @Test func theURLsOfWaitingRequestsCountAndGo() throws {
        let daemon = try RunningDaemon(Self.configuration)
        func held() throws -> Int { try RouterClient(daemon.socket).used("bytes") }
        let observer = try daemon.connect()
        // The other clients may keep a busy machine for longer than one that has sent nothing may stay. A round of the loop reads
        // a line of each, and a debug build reads a megabyte a second.
        expect(try observer.ask("app:/ping"), equals: "\(Self.success)?pong=1")
        let before = try daemon.state.anonymousSize
        let text = String(repeating: "x", count: 60_000)
        var clients = try (0..<50).map { _ in try daemon.connect() }
        for client in clients { try client.send("app:/wait?text=\(text)\n") }
        try daemon.ask("app:/ping", on: observer) { try held() >= 50 * 60_000 }
        clients = []
        try daemon.ask("app:/ping", on: observer) { try held() == 0 }
        #expect(try daemon.state.anonymousSize < before + 2 << 20)
    }
}
