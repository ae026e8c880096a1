import Glibc
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting
import XCallbackWire

/// What an explanation shows other users, beside what an answer shows them.
struct ExplanationOutlineTests {
    /// The stages of a route each, with `marked` in all texts of their own.
    static let stages: [(name: String, kind: String, setting: String)] = [
        ("app", "policies", "marked"), ("confirm", "policies", "'marked {x}?'"),
        ("exec", "policies", "[marked, '{x}']"),
        ("executable", "policies", "/marked"), ("group", "policies", "4711"), ("origin", "policies", "socket"),
        ("rate", "policies", "4711/s"), ("require", "policies", "{ marked: marked }"),
        ("source", "policies", "marked"), ("token", "policies", "{ file: FILE }"), ("user", "policies", "4711"),
        ("app-links", "middleware", ""), ("exec", "middleware", "[marked, '{x}']"), ("log", "middleware", ""),
        ("rename", "middleware", "{ marked: x }"), ("strip", "middleware", "[marked]"),
    ]

    static let handlers: [(name: String, setting: String)] = [
        ("deliver", "marked"), ("exec", "[marked, '{x}']"), ("publish", "marked"),
        ("redirect", "'app:/marked?y=marked'"), ("respond", "{ marked: marked }"),
    ]

    /// The explanation of a URL by another user, and the answer that this user gets.
    private static func outline(_ routes: String) throws -> (explanation: String, answer: String) {
        let secret = try TemporaryDirectory()
        let path = try secret.write("marked", to: "marked")
        chmod(path, 0o600)
        var configured = try Configured("schemes: [notes]\nroutes:\n\(routes.replacing("FILE", with: path))")
        let explanation = configured.configuration.pipeline.explain(
            "notes:/a/1".utf8.span, from: Configured.peer, origin: .socket)
        return ("\(explanation.json(for: Viewer(Configured.peer, groups: [])))", configured.answer(to: "notes:/a/1"))
    }

    @Test(arguments: stages)
    func noSettingOfAStageIsShown(name: String, kind: String, setting: String) throws {
        let stage = setting.isEmpty ? name : "{ \(name): \(setting) }"
        let (explanation, answer) = try Self.outline(
            "- { route: 'notes:/a/:x', \(kind): [\(stage)], respond: { marked: marked } }")
        for text in ["marked", "4711"] where !answer.contains(text) {
            #expect(!explanation.contains(text), "\(explanation)")
        }
        #expect(explanation.contains(name))
    }

    @Test(arguments: handlers)
    func noSettingOfAHandlerIsShown(name: String, setting: String) throws {
        let (explanation, _) = try Self.outline(
            "- { route: 'notes:/a/:x', policies: [{ user: 4711 }], \(name): \(setting) }")
        #expect(!explanation.contains("marked"), "\(explanation)")
    }

    @Test(arguments: ["{ user: 4711 }", "{ group: 4711 }"])
    func aRouteThatAUserMayNotOpenIsNotShown(policy: String) throws {
        let rest = "respond: {} }\n- { route: notes:/b, respond: {} }"
        let (explanation, answer) = try Self.outline(
            "- { route: 'notes:/:marked/:x', policies: [\(policy), { rate: 1/s }], \(rest)")
        #expect(!explanation.contains("marked") && !explanation.contains("rate"), "\(explanation)")
        #expect(explanation.contains("notes:/b") && explanation.contains("\"code\":403"), "\(explanation)")
        #expect(answer.contains("403"), "\(answer)")
    }

    @Test func whatFollowsARedirectIsNotShown() throws {
        let (explanation, _) = try Self.outline(
            """
            - { route: 'notes:/a/:x', redirect: "notes:/marked?y=marked" }
            - { route: "notes:/marked", input: { y: { type: enum, values: [other, marked] } }, exec: [marked] }
            """)
        // The list of routes names the other one.
        #expect(explanation.contains("redirects to another URL"))
        #expect(!explanation.contains("y=marked") && !explanation.contains("runs"), "\(explanation)")
    }

    /// This test fails until a new stage is covered.
    @Test func allStagesAreCovered() throws {
        let text = try textOfFile("\(packageFolder)/config/xcallbackd.schema.json")
        let schema = try JSONValue(parsing: text.utf8.span, maximumSize: text.utf8.count)["$defs"]
        for (kind, definition) in [("policies", "policy-stage"), ("middleware", "middleware-stage")] {
            let names = schema?[definition]?["anyOf"]?.elements?.compactMap { $0["properties"]?.members }.joined()
            let covered = Set(Self.stages.filter { $0.kind == kind }.map(\.name))
            #expect(Set(names?.map(\.name) ?? []).subtracting(covered) == [])
            #expect(names?.isEmpty == false)
        }
        let faults = Configured.faults(of: "schemes: [notes]\nroutes: [{ route: notes:/a }]")
        let names = Self.handlers.map { "'\($0.name)'" }
        let expected = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        #expect(faults.contains { $0.contains("one handler in a route, \(expected), found") }, "\(faults)")
    }
}
