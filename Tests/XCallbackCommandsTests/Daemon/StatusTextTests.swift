import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// What `xcallback status` prints of a real daemon for people.
@Suite(.blocking)
struct StatusTextTests {
    @Test func peopleSeeTheRoutesThatFailAndThoseThatAreSlow() throws {
        let failing = (1...6).map { "  - { route: 'app:/fail\($0)', exec: [sh, -c, 'exit \($0)'] }\n" }
        let fast = (1...6).map { "  - { route: 'app:/fast\($0)', respond: { ok: 1 } }\n" }
        let workspace = try CommandWorkspace()
        try workspace.startDaemon(
            "schemes: [app]\nroutes:\n  - { route: 'app:/slow', exec: [sleep, '3'] }\n"
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

    @Test func peopleSeeWhatIsInProgressAndCanCancelIt() throws {
        let workspace = try CommandWorkspace()
        try workspace.startDaemon("schemes: [app]\nroutes: [{ route: app:/long, exec: [sleep, '600'] }]")
        let caller = try LineClient(workspace.socket)
        try caller.send("app:/long\n")
        var rows: ArraySlice<Substring> = []
        try waitUntil("the request is in progress") {
            let lines = try workspace.run("status", "--socket", workspace.socket).output.split(separator: "\n")
            rows = lines.drop { $0 != "in progress ('xcallback cancel ID' cancels)" }.dropFirst()
            return !rows.isEmpty
        }
        let cells = try #require(rows.first).split(separator: " ", omittingEmptySubsequences: true)
        #expect(cells.dropFirst().prefix(6) == ["app:/long", "user", "\(geteuid())", "process", "\(getpid())", "for"])
        let cancel = try workspace.run("cancel", "--socket", workspace.socket, String(cells[0]))
        #expect(cancel.status == 0, "\(cancel)")
        expect(try caller.readLine(), equals: "xcallback://x-callback-url/cancel")
    }
}
