import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter

/// The settings of `confirm`, and what it would ask.
struct ConfirmPolicyTests {
    private static func route(_ policy: String) -> String {
        """
        - route: notes:/a/:id
          public: true
          input: { b: string, c: { type: int, required: false }, d: { type: string, default: x } }
          policies: [{ confirm: \(policy) }]
          respond:
        - { route: "notes:/via/:id", public: true, redirect: "notes:/a/{id}?b=1" }

        """
    }

    private static func faults(_ policy: String) -> [String] {
        Configured.faults(of: "schemes: [notes]\nroutes:\n\(route(policy))")
    }

    private static func plan(_ policy: String, _ url: String, _ origin: Origin) throws -> StagePlan {
        let router = try Configured(routes: route(policy))
        let explanation = router.configuration.pipeline.explain(url.utf8.span, from: Configured.peer, origin: origin)
        return try #require(explanation.hops.last?.stages.first { $0.name == "confirm" }).plan
    }

    static let wrong: [(String, String)] = [
        ("", "expected a question, such as \"Delete note {id}?\", or a program that asks, after 'confirm:'"),
        ("''", "expected a question, found an empty text"),
        ("{ text: '' }", "expected a question, found an empty text"),
        ("{ timeout: 1s }", "expected the key 'text' or 'exec' in a 'confirm' policy"),
        ("{ text: a, exec: [a] }", "expected either 'text' or 'exec', found both"),
        ("{ text: [a] }", "expected text, found a list"), ("{ exec: a }", "expected a list of a program"),
        ("{ text: a, txt: b }", "unknown key 'txt'"), ("{ text: a, timeout: 5 }", "expected a duration"),
        ("{ text: a, origin: web }", "expected desktop, socket, internal or agent"),
        ("{ exec: ['true'], whole: true }", "is for a question with 'text'"),
        ("{ text: a, origin: [] }", "expected at least one origin"),
        ("'Delete {'", "a '{' without its '}'"), ("'Delete {c}?'", "'{c}' can be absent: expected a capture"),
        ("'Delete {@source}?'", "'{@source}' can be absent: expected a capture"),
        ("'Delete {@data.x}?'", "'{@data.x}' can be absent"), ("'Delete {x-success}?'", "belongs to the protocol"),
    ]

    @Test(arguments: ["{@url}", "{@password}"])
    func aQuestionShowsNoPassword(value: String) {
        let faults = Configured.faults(
            of: """
                schemes: { ssh: { syntax: url } }
                routes: [{ route: "ssh://:host", input: { "@password": string }, policies: [confirm: 'Open \(value)?'], respond: {} }]
                """)
        #expect(faults.count == 1 && faults[0].contains("a question cannot show a URL's password"), "\(faults)")
    }

    @Test(arguments: wrong)
    func aFaultSaysWhatIsExpected(policy: String, fault: String) {
        let faults = Self.faults(policy)
        #expect(faults.count == 1 && faults[0].contains(fault), "\(faults)")
    }

    static let questions: [(policy: String, url: String, arguments: [String], line: String)] = [
        ("'Delete note {id}?'", "notes:/a/42?b=1", ["Delete note {}?", "42"], "Delete note “42”?"),
        ("'{{a}} {id} {b}'", "notes:/a/-42?b=--", ["{{a}} {} {}", "-42", "--"], "{a} “-42” “--”"),
        ("{ text: '{d}{@action}' }", "notes:/a/7?b=1", ["{}{}", "x", "/a/7"], "“x”“/a/7”"),
        ("'Sure?'", "notes:/a/7?b=1", ["Sure?"], "Sure?"), ("'{b}'", "notes:/a/7?b=%0A", ["{}", "\n"], "“⏎”"),
    ]

    @Test(arguments: questions)
    func eachValueIsAnArgument(policy: String, url: String, arguments: [String], line: String) throws {
        let plan = try Self.plan(policy, url, .socket)
        let command = try #require(plan.command)
        #expect(command[0].hasPrefix("/") && command[0].hasSuffix("/xcallback"))
        #expect(Array(command.dropFirst()) == ["ask", "--"] + arguments)
        #expect(plan.text == "asks the user: \(line)")
    }

    @Test func aQuestionCanShowValuesWhole() throws {
        let command = try #require(try Self.plan("{ text: '{id}', whole: true }", "notes:/a/7?b=1", .socket).command)
        #expect(command.dropFirst() == ["ask", "--whole", "--", "{}", "7"])
    }

    static let origins: [(String, String, Origin, Bool)] = [
        ("desktop", "a/7", .desktop, true), ("desktop", "a/7", .socket, false), ("[socket]", "a/7", .desktop, false),
        ("[socket, desktop]", "a/7", .socket, true), ("desktop", "via/7", .desktop, true),
        ("desktop", "via/7", .socket, false), ("internal", "via/7", .socket, true), ("internal", "a/7", .socket, false),
    ]

    @Test(arguments: ["text: a", "exec: ['true']"], origins)
    func onlyRequestsOfItsOriginsAreAskedAbout(
        question: String, row: (origins: String, action: String, origin: Origin, isAsked: Bool)
    ) throws {
        let policy = "{ \(question), origin: \(row.origins) }"
        let plan = try Self.plan(policy, "notes:/\(row.action)?b=1", row.origin)
        #expect((plan.command != nil) == row.isAsked)
    }

    @Test(arguments: [("a", 0), ("{ text: a, origin: [desktop] }", 0), ("{ text: a, origin: socket }", 1)])
    func aQuestionOfOtherOriginsKeepsNoWebPageOut(policy: String, count: Int) throws {
        let router = try Configured(
            routes: "- { route: notes:/a, public: true, policies: [{ confirm: \(policy) }], exec: ['true'] }\n")
        #expect(router.configuration.warnings.warnings.count == count)
    }
}
