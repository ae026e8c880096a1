import TestSupport
import Testing

/// Stages that wait, without a daemon.
struct AsyncStageTests {
    static let stages: [(route: String, rest: String, result: String)] = [
        ("exec: [/bin/echo, '{text}'], output: text", "?text=a%20b", "result=a b"),
        ("exec: [/bin/echo, '{text}']", "?text=a", ""),
        ("exec: [/bin/sh, -c, 'exit 7']", "", "7 The program ended with status 7."),
        ("exec: [/bin/sh, -c, 'echo 403 No. >&2; exit 1']", "", "403 No."),
        ("exec: [/bin/sh, -c, 'kill $$']", "", "500 The program ended by signal 15."),
        ("policies: [{ exec: [/bin/true] }], respond: { a: 1 }", "", "a=1"),
        ("policies: [{ exec: [/bin/false] }], respond: {}", "", "403 Policy 'exec': its program denied it."),
        ("middleware: [{ exec: [/bin/sh, -c, 'exit 9'] }], respond: {}", "", "9 The program ended with status 9."),
    ]

    @Test(arguments: stages)
    func aStageThatRunsAProgramWaits(route: String, rest: String, result: String) async throws {
        var router = try Configured(routes: "  - { route: notes:/run, \(route) }")
        expect(try await router.result(awaiting: "notes:/run\(rest)"), equals: result)
    }

    @Test func aHostWithoutProgramsSaysSo() throws {
        var router = try Configured(routes: "  - { route: notes:/run, exec: [/bin/true] }")
        expect(try router.result(of: "notes:/run"), equals: "503 Programs run only in the daemon.")
    }
}
