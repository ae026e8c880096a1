import Glibc
import Testing
import XCallbackTesting

/// The log lines that a user's requests cause.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LogLineTests {
    static let causes = [
        ("middleware: [log], policies: [{ user: 1 }], respond: {}", "request failed"),
        ("exec: [ls, /nonexistent]", "a program failed"),
        ("exec: [sh, -c, \"kill -KILL $$\"]", " failed "),
        ("exec: [/nonexistent]", "cannot start a program"),
        ("policies: [{ exec: [sh, -c, \"kill -KILL $$\"] }], respond: {}", " failed "),
        ("policies: [{ exec: [sh, -c, \"echo no >&2; exit 1\"] }], respond: {}", "a program wrote to standard error"),
        ("middleware: [{ exec: [echo, no] }], respond: {}", "middleware failed"),
        ("middleware: [{ exec: [sh, -c, \"echo no >&2\"] }], respond: {}", "a program wrote to standard error"),
    ]

    @Test(arguments: causes)
    func aLineThatAProgramCausesCountsForTheUserOfTheRequest(stages: String, message: String) throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nlimits: { log-lines: 5 }\nroutes:\n  - { route: \"app:/run\", \(stages) }\n")
        let client = try daemon.connect()
        for _ in 0..<15 { _ = try client.ask("app:/run") }
        let lines = try daemon.log.split(separator: "\n").filter { $0.contains(message) }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.contains("peer.uid=\(geteuid())") && $0.contains("app:/run") })
        #expect(try daemon.log.contains("log lines are suppressed: User \(geteuid())"))
    }

    /// A line that the log level suppresses does not count.
    @Test func aLineThatIsNotWrittenCountsForNobody() throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nlog: { level: error }\nlimits: { log-lines: 5 }\nroutes:\n"
                + "  - { route: \"app:/run\", exec: [ls, /nonexistent] }\n"
                + "  - { route: \"app:/missing\", exec: [/nonexistent] }\n")
        let client = try daemon.connect()
        for _ in 0..<15 { _ = try client.ask("app:/run") }
        _ = try client.ask("app:/missing")
        #expect(try daemon.log.contains("cannot start a program"))
    }
}
