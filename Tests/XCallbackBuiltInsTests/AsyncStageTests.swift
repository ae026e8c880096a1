import TestSupport
import Testing

/// Stages that wait, without a daemon.
struct AsyncStageTests {
    static let stages: [(route: String, rest: String, result: String)] = [
        ("exec: [/bin/echo, '{text}'], output: text", "a%20b", "result=a b"),
        ("exec: [/bin/echo, '{text}'], detach: true", "a", ""),
        ("exec: [/bin/sh, -c, 'exit 7']", "a", "7 The program ended with status 7."),
        ("exec: [/bin/sh, -c, 'kill $$']", "a", "500 The handler failed."),
        ("policies: [{ exec: [/bin/true] }], respond: { a: 1 }", "a", "a=1"),
        (
            "policies: [{ exec: [/bin/false] }], respond: {}", "a",
            "403 Policy 'exec' refuses the request: its program denied it."
        ),
        ("middleware: [{ exec: [/bin/sh, -c, 'exit 9'] }], respond: {}", "a", "9 The program ended with status 9."),
    ]

    @Test(arguments: stages)
    func aStageThatRunsAProgramWaits(route: String, rest: String, result: String) async throws {
        var router = try Configured(routes: "  - { route: \"notes:/run/:text\", \(route) }", on: ProgramLoop())
        expect(try await router.result(awaiting: "notes:/run/\(rest)"), equals: result)
    }
}
