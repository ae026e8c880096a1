import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter
import XCallbackTesting
import XCallbackWire

/// What is offered to assistants, and what a configuration is warned of there.
struct AgentTests {
    private static let configuration = """
        schemes: [notes, todo]
        routes:
          - { route: notes:/open, agent: true, description: Reads., effect: read, respond: { a: 1 } }
          - { route: notes:/public, public: true, respond: { a: 1 } }
          - { route: notes:/private, respond: { a: 1 } }
          - { route: notes:/both, agent: both, public: true, description: Reads., effect: read, respond: { a: 1 } }
          - { route: notes:/there, agent: true, description: Reads., effect: read, redirect: "notes:/private" }
          - { route: "notes:/rate", agent: true, description: Reads., effect: read, policies: [{ rate: 1/h }], respond: { a: 1 } }
          - { route: notes:/origin, agent: true, description: Reads., policies: [{ origin: [agent] }], respond: { o: "{@origin}" } }
          - { route: notes:/app, agent: true, description: Reads., redirect: "bear:/x?led=1" }
        """

    static let refusal = "403 This action is not offered to assistants."

    static let answers: [(url: String, origin: Origin, result: String)] = [
        ("notes:/open", .agent, "a=1"), ("notes:/public", .agent, refusal), ("notes:/private", .agent, refusal),
        ("notes:/both", .agent, "a=1"), ("notes:/none", .agent, "404 No route answers this action."),
        (
            "notes:/open", .desktop,
            "403 This action is private: the desktop may ask only for routes with 'public: true'."
        ),
        ("notes:/public", .desktop, "a=1"), ("notes:/both", .desktop, "a=1"),
        // What the configuration itself asks for is its author's word.
        ("notes:/there", .agent, "a=1"),
        ("notes:/origin", .agent, "o=agent"),
        (
            "notes:/origin", .socket,
            "403 Policy 'origin' refuses the request: the origin is not allowed."
        ),
        // An application is where its author has led it; the desktop's requests are led to none.
        ("notes:/app", .agent, "led=1"),
        // Each spelling of an action.
        ("notes://x-callback-url/private", .agent, refusal), ("NOTES:/%70rivate/", .agent, refusal),
        ("notes://private", .agent, refusal),
    ]

    @Test(arguments: answers)
    func anAssistantReachesWhatIsOfferedToIt(url: String, origin: Origin, result: String) throws {
        var router = try Configured(Self.configuration)
        expect(try router.result(of: url, origin: origin), equals: result)
    }

    /// Whoever writes one of these offers nothing, or asks nothing.
    @Test(arguments: ["no", "off", "never", "0", "\"false\"", "yes", "\"true\"", "None"])
    func aWordForNoIsNoName(word: String) {
        let offered = "schemes: [a]\nroutes: [{ route: a:/b, agent: \(word), description: Reads., respond: }]\n"
        #expect(Configured.faults(of: offered).first?.contains("expected true or false, found") == true)
        let asked = "schemes: [a]\nroutes: [{ route: a:/b, policies: [{ confirm: \(word) }], respond: }]\n"
        #expect(Configured.faults(of: asked).first?.contains("expected a question") == true)
    }

    /// Some clients refuse all tools because of one such name.
    @Test(arguments: ["due date", "naïve", "a$b", String(repeating: "a", count: 65)])
    func aParameterThatClientsRefuseIsAFault(name: String) {
        let text = "schemes: [a]\nroutes: [{ route: a:/b, agent: true, input: { \"\(name)\": string }, respond: }]\n"
        #expect(Configured.faults(of: text).contains { $0.contains("is not a valid parameter name for assistants") })
        #expect(Configured.faults(of: text.replacing("agent: true, ", with: "")).isEmpty)
    }

    @Test func itsCallbacksLeadToOwnSchemesOnly() throws {
        var router = try Configured(Self.configuration)
        #expect(router.answer(to: "notes:/open?x-success=notes:/private", origin: .agent) == "notes:/private?a=1")
        #expect(router.answer(to: "notes:/open?x-success=bear:/x", origin: .agent).contains("errorCode=400"))
        #expect(router.answer(to: "notes:/open?x-success=bear:/x", origin: .socket) == "bear:/x?a=1")
    }

    @Test func itsRateIsApartFromItsUsers() throws {
        var router = try Configured(Self.configuration)
        expect(try router.result(of: "notes:/rate", origin: .agent), equals: "a=1")
        expect(try router.result(of: "notes:/rate", origin: .agent)) { $0.hasPrefix("429 ") }
        expect(try router.result(of: "notes:/rate", origin: .socket), equals: "a=1")
        expect(try router.result(of: "notes:/rate", origin: .socket)) { $0.hasPrefix("429 ") }
    }

    static let names: [(String, String)] = [
        ("notes:/notes/:id/append", "notes_notes_id_append"), ("notes:/", "notes"),
        ("notes:/a-b/*rest", "notes_a-b_rest"),
        ("notes:/v:major.:minor", "notes_v_major___minor"), ("notes:/a{/:b}", "notes_a_b"),
        ("my.app:/\u{FC}ber", "my_app__ber"),
    ]

    @Test(arguments: names)
    func aNameIsMadeOfTheRouteAlone(route: String, name: String) throws {
        let scheme = route.prefix { $0 != ":" }
        let text = "schemes: [\(scheme)]\nroutes: [{ route: \"\(route)\", agent: true, respond: }]\n"
        expect(try Configured(text).configuration.routeJSON(0)["agent"]?.text, equals: name)
    }

    static let faulty: [(String, String)] = [
        ("agent: add note", "'add note' is not a valid name for assistants"),
        ("agent: ''", "'' is not a valid name for assistants"),
        ("agent: \(String(repeating: "a", count: 49))", "is not a valid name for assistants"),
        ("agent: [a]", "expected text, found a list"),
        (
            "agent: true\n- route: notes:/b\n  respond:\n  agent: notes_a",
            "two routes have the name 'notes_a' for assistants: rename one"
        ),
    ]

    @Test(arguments: faulty)
    func aNameMustBeOneOfItsOwn(keys: String, message: String) {
        let faults = Configured.faults(of: "schemes: [notes]\nroutes:\n- route: notes:/a\n  respond:\n  \(keys)\n")
        #expect(faults.contains { $0.contains(message) }, "\(faults)")
    }

    static let warnings: [(String, [String])] = [
        ("description: Reads.\n  respond:", []), ("respond:", ["assistants cannot tell when to use this action"]),
        (
            "description: Reads.\n  policies: [{ executable: /bin/sh }]\n  respond:",
            ["assistants never pass the policy 'executable'"]
        ),
        (
            "description: Reads.\n  policies: [{ origin: socket }]\n  respond:",
            ["assistants never pass the policy 'origin'"]
        ),
        ("description: Reads.\n  exec: ['true']", ["an assistant can run this program, which may change something"]),
        ("description: Reads.\n  effect: read\n  exec: ['true']", []),
        ("description: Reads.\n  policies: [{ rate: 1/s }]\n  exec: ['true']", []),
        ("description: Reads.\n  deliver: editor", ["an assistant can run this action, which may change something"]),
        ("description: Reads.\n  redirect: notes:/other", ["this route opens 'notes:/other' to assistants"]),
        ("description: Reads.\n  enabled: false\n  exec: ['true']", []),
    ]

    @Test(arguments: warnings)
    func whatAnAssistantMayGetWrongIsWarnedOf(keys: String, expected: [String]) throws {
        let text =
            "schemes: [notes]\nroutes:\n- route: notes:/a\n  agent: true\n  \(keys)\n- { route: notes:/other, respond: }\n"
        let found = try Configured(text).configuration.warnings.warnings.map(\.message)
        #expect(found.count == expected.count && zip(found, expected).allSatisfy { $0.hasPrefix($1) }, "\(found)")
    }
}
