import Glibc
import Testing
import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackTesting
import XCallbackURL

/// What stages that must not act say in an explanation.
struct StageRehearsalTests {
    private static func report(_ stages: String, _ url: String, origin: Origin = .socket) throws -> Explanation {
        let router = try Configured(routes: "- route: notes:/a/:id\n  respond:\n  \(stages)\n")
        return router.configuration.pipeline.explain(url.utf8.span, from: Configured.peer, origin: origin)
    }

    private static func text(_ rehearsal: Rehearsal) -> String {
        let command = rehearsal.command.map { " \($0)" } ?? ""
        switch rehearsal.outcome {
        case .proceeds: return "proceeds\(command)"
        case .ends(.error(let error)): return "\(error)"
        case .ends: return "ends"
        case .open: return "open\(command)"
        }
    }

    static let rows: [(String, String, String)] = [
        ("policies: [{ exec: [touch, \"/nowhere/{id}\"] }]", "notes:/a/b", #"open ["touch", "/nowhere/b"]"#),
        (
            "policies: [{ exec: [touch, \"{id}\"] }]", "notes:/a/-b",
            "422 Parameter 'id' must not begin with '-'."
        ),
        ("policies: [{ confirm: [touch, \"/nowhere/{id}\"] }]", "notes:/a/b", #"open ["touch", "/nowhere/b"]"#),
        ("middleware: [{ exec: [touch, \"/nowhere/{id}\"] }]", "notes:/a/b", #"open ["touch", "/nowhere/b"]"#),
        ("policies: [{ executable: /bin/sh }]", "notes:/a/b", "open"),
        ("policies: [{ app: org.example.App }]", "notes:/a/b", "open"),
        ("policies: [{ group: [7, 100] }]", "notes:/a/b", "proceeds"),
        (
            "policies: [{ group: 7 }]", "notes:/a/b",
            "403 Policy 'group' refuses the request: the groups of the client are unknown, or more than 1024."
        ),
    ]

    @Test(arguments: rows)
    func eachStageTellsWhatItWouldDo(stages: String, url: String, expected: String) throws {
        let explanation = try Self.report(stages, url)
        #expect(try Self.text(#require(explanation.hops.first?.stages.first).rehearsal) == expected)
        #expect(explanation.isCertain == !expected.hasPrefix("open"))
    }

    @Test(arguments: [("", ""), ("wait: 90s", "; without one, the request waits 90s")])
    func aDeliveryTellsWhoResponds(key: String, patience: String) throws {
        let router = try Configured(routes: "- route: notes:/a\n  deliver: editor\n  \(key)\n")
        let explanation = router.configuration.pipeline.explain(
            "notes:/a".utf8.span, from: Configured.peer, origin: .socket)
        let notes = explanation.hops.first?.stages.last?.rehearsal.notes
        #expect(notes == ["the client that receives as 'editor' responds\(patience)"])
    }

    @Test(arguments: ["executable: /bin/sh", "app: org.example.App"])
    func whatTheDesktopHidesIsRefused(policy: String) throws {
        let explanation = try Self.report("public: true\n  policies: [{ \(policy) }]", "notes:/a/b", origin: .desktop)
        #expect(explanation.response?.kind == .error)
    }

    static let tokens = [
        ("?token=s3cret", "open"), ("?token=other", "open"), ("?token", "403"), ("", "403"),
        ("?token=s3cret&token=s3cret", "403"),
    ]

    @Test(arguments: tokens)
    func noSecretIsComparedOrShown(rest: String, expected: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("s3cret", to: "secret")
        chmod(path, 0o600)
        let policies = "middleware: [log]\n  policies: [{ token: { file: \(path) } }]"
        let explanation = try Self.report(policies, "notes:/a/b\(rest)")
        let stages = try #require(explanation.hops.first?.stages)
        #expect(Self.text(stages[1].rehearsal).hasPrefix(expected))
        #expect(explanation.hops.first?.parameters?.contains(name: "token") != true)
    }
}
