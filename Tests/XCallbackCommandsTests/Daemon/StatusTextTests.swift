import Testing
import XCallbackAdministration
import XCallbackClient
import XCallbackTesting

/// What `xcallback status` prints of a real daemon for people.
@Suite(.timeLimit(.minutes(5)))
struct StatusTextTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/edit", deliver: editor }
        """

    /// Asks for the status until it holds a text.
    private static func status(_ workspace: CommandWorkspace, until wanted: String) throws -> String {
        let words = ["status", "--socket", workspace.socket]
        for _ in 0..<1_000 {
            let text = try workspace.run(words).output
            if text.contains(wanted) { return text }
        }
        throw TestFailure("the status has no \(wanted)")
    }

    @Test func peopleSeeTheRoutesThatFailAndThoseThatAreSlow() throws {
        let failing = (1...6).map { "  - { route: 'app:/fail\($0)', exec: [sh, -c, 'exit \($0)'] }\n" }
        let fast = (1...6).map { "  - { route: 'app:/fast\($0)', respond: { ok: 1 } }\n" }
        let workspace = try CommandWorkspace()
        try workspace.startDaemon(
            "schemes: [app]\nroutes:\n  - { route: 'app:/slow', exec: [sleep, '0.5'] }\n"
                + (failing + fast).joined())
        for number in 1...6 {
            _ = try workspace.open("app:/fast\(number)")
            for _ in 0..<number { _ = try workspace.open("app:/fail\(number)") }
        }
        _ = try workspace.open("app:/slow")
        let lines = try workspace.run("status", "--socket", workspace.socket).output.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("traffic ") })
        #expect(lines[start] == "traffic (10 of 13 routes: those with the most errors, then the slowest)")
        let rows = lines[(start + 2)...].map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        let routes = rows.map { String($0[0]) }
        #expect(routes.count == 10)
        #expect(
            routes.prefix(6) == ["app:/fail6", "app:/fail5", "app:/fail4", "app:/fail3", "app:/fail2", "app:/slow"])
        #expect(rows.first?.suffix(3) == ["6", "(6:", "6)"])
    }

    @Test func peopleSeeWhoReceives() throws {
        let workspace = try CommandWorkspace()
        try workspace.startDaemon(Self.configuration)
        let receiver = try workspace.start("listen", "editor", "--socket", workspace.socket, "--", "cat")
        let text = try Self.status(workspace, until: "receivers\n")
        #expect(text.contains(/\n  editor  user \d+  process \d+  for \d+ s  0 of 1 request\n/), "\(text)")
        _ = consume receiver
    }
}
