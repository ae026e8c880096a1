import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter

struct RedirectHandlerTests {
    private static func router(_ target: String) throws -> Configured {
        try Configured(
            """
            schemes: [notes, todo]
            callbacks: { allow: [app] }
            routes:
            - route: notes:/a{/:id}
              public: true
              input: { tags: { type: list, required: false } }
              redirect: '\(target)'
            - route: notes:/w/*path
              redirect: '\(target)'
            """)
    }

    static let targets: [(target: String, text: String, answer: String)] = [
        ("app:/b", "notes:/a", "app:/b"), ("app:/b/{id}", "notes:/a/1", "app:/b/1"),
        ("app:/b/{id}", "notes:/a/x%2Fy%3F%23%20%C3%A9", "app:/b/x%2Fy%3F%23%20%C3%A9"),
        ("app:/b/{id}/c", "notes:/a", "app:/b/c"), ("app:/{id}/c", "notes:/a", "app:/c"),
        ("app://h/{id}", "notes:/a", "app://h"),
        ("app:/b?q={q}&z=1", "notes:/a?q=%26%3D%2B+", "app:/b?q=%26%3D%2B%2B&z=1"),
        ("app:/b?q={q}&z=1", "notes:/a", "app:/b?z=1"), ("app:/b?q=<{q}>", "notes:/a", "app:/b?q=<>"),
        ("app:/b?t={tags}", "notes:/a?tags=a,b%2Cc", "app:/b?t=a&t=b%2Cc"),
        ("app:/b?t=({tags})", "notes:/a?tags=a,b%2Cc", "app:/b?t=(a,b%2Cc)"),
        ("app:/b?k&e=", "notes:/a", "app:/b?k&e="),
        ("app:/b?q={q}&z=1", "notes:/a?q=1&q&q=", "app:/b?q=1&q&q=&z=1"), ("app:/b?q={q}", "notes:/a?q", "app:/b?q"),
        ("app:/b?t={tags}", "notes:/a?tags", "app:/b?t"), ("app:/b?t=({tags})", "notes:/a?tags", "app:/b?t=()"),
        ("app:/b/{q}", "notes:/a?q=1&q=2%2F3", "app:/b/1/2%2F3"), ("app:/b#{tags}", "notes:/a?tags=1,2", "app:/b#1,2"),
        ("app:/b/{path}", "notes:/w/x/y%2Fz", "app:/b/x/y%2Fz"), ("app:/b#{q}", "notes:/a?q=%23%20", "app:/b#%23%20"),
        ("app:/b/v{q}", "notes:/a?q=..", "app:/b/v.."),
        ("app:b/{id}", "notes:/a/1", "app:b/1"), ("app:{id}", "notes:/a/javascript%3A", "app:javascript%3A"),
        ("app:/b?q=%41", "notes:/a", "app:/b?q=%41"),
        ("app:{id}", "notes:/a/+49!'()*@;,=&$:%3F", "app:+49!'()*%40%3B%2C%3D%26%24%3A%3F"),
        ("app:/b/v{id}?q={id}", "notes:/a/+1", "app:/b/v+1?q=%2B1"),
        ("app:/b", "notes:/a?q=1&x-success=app:/s&x-error=app:/e", "app:/b?x-success=app%3A%2Fs&x-error=app%3A%2Fe"),
    ]

    @Test(arguments: targets)
    func aPlaceholderFillsOneSegmentOrOneValue(target: String, text: String, answer: String) throws {
        var router = try Self.router(target)
        #expect(router.answer(to: text) == answer)
    }

    static let badSegments: [(String, String)] = [
        ("app:/b/{q}", "?q=.."), ("app:/b/{q}", "?q=."), ("app:/{q}/c", "?q=.."), ("app:/.{q}", "?q=."),
        ("app:/{q}{r}", "?q=.&r=."), ("app:/b/{q}", "?q="), ("app:/{q}/evil", "?q="), ("app:/{q}{r}/evil", ""),
        ("app:/{q}/{r}", "?q=&r=evil"), ("app:/b/{tags}", "?tags"), ("app:/b/{q}", "?q=1&q"),
        ("app:/b/{tags}", "?tags=a,,b"), ("app:/{tags}/b", "?tags=,b"),
    ]

    @Test(arguments: badSegments)
    func aValueThatIsNoSegmentIsRefused(target: String, query: String) throws {
        var router = try Self.router(target)
        expect(try router.result(of: "notes:/a\(query)")) { $0.hasPrefix("422 ") }
    }

    @Test(arguments: ["app:/b?q=x{q}", "app:/b?q={q}{@uid}", "app:/b/x{q}", "app:/b#{q}"])
    func aRepeatIsRefusedWhereOneTextIsNeeded(target: String) throws {
        var router = try Self.router(target)
        expect(try router.result(of: "notes:/a?q=1&q=2"), equals: "422 Parameter 'q' is given more than once.")
    }

    /// A target, the declaration of `q`, its value, and whether text of the request decides where the redirect leads.
    static let leads: [(target: String, type: String, value: String, isText: Bool)] = [
        ("notes:/a/{q}", "string", "b", true), ("notes:/a/{q}", "{ type: string, charset: a-z }", "b", true),
        ("notes:/a/{q}", "number", "1.5", true), ("notes:/a/{q}", "date", "2026-01-31", true),
        ("notes:/a/{q}", "url", "a:b", true), ("notes:/a/{q}", "data", "YQ%3D%3D", true),
        ("notes:/a/x{q}", "string", "b", true), ("notes:/a/{@source}", "int", "7", true),
        ("notes:/a/{@data.k}{q}", "int", "7", true), ("notes:/a/{other}", "int", "7", true),
        ("notes:/a/{q}{other}", "int", "7", true), ("notes:/{other}/b", "int", "7", true),
        ("notes:/a/{q}", "int", "7", false), ("notes:/a/{q}", "{ type: int, required: false }", "7", false),
        ("notes:/a/{q}", "bool", "yes", false), ("notes:/a/{q}", "{ type: enum, values: [b, c/d] }", "c%2Fd", false),
        ("notes:/a/{q}", "uuid", "3f1e0d6c-8b5a-4c2d-9e7f-0a1b2c3d4e5f", false), ("notes:/a/x{q}", "int", "7", false),
        ("notes:/a/b?q={q}&o={other}&s={@source}", "string", "b", false), ("notes:/a/b#{q}", "string", "b", false),
        ("notes:/a/b", "string", "b", false),
    ]

    @Test(arguments: ["in/:q", "in"], leads)
    func whereTextDecidesTheOriginStays(
        pattern: String, row: (target: String, type: String, value: String, isText: Bool)
    ) throws {
        var router = try Configured(
            routes: """
                - { route: "notes:/:any/:b", agent: true, public: true, respond: { origin: "{@origin}" } }
                - route: todo:/\(pattern)
                  public: true
                  agent: true
                  input: { q: \(row.type) }
                  redirect: "\(row.target)"
                """)
        let query = "other=a&x-source=s"
        let url = pattern == "in" ? "todo:/in?q=\(row.value)&\(query)" : "todo:/in/\(row.value)?\(query)"
        for origin in [Origin.desktop, .agent] {
            let expected = row.isText ? origin : .internal
            expect(try router.result(of: url, origin: origin), equals: "origin=\(expected.rawValue)")
        }
        expect(try router.result(of: url), equals: "origin=internal")
    }

    /// The number of the values is free, so each path of them is.
    @Test func aListDecidesWhereARedirectLeads() throws {
        var router = try Configured(
            routes: """
                - { route: notes:/a/b, respond: { secret: 1 } }
                - route: notes:/in/*q
                  public: true
                  input: { q: { type: list, of: enum, values: [a, b] } }
                  redirect: "notes:/{q}"
                """)
        expect(try router.result(of: "notes:/in/a/b"), equals: "secret=1")
        expect(try router.result(of: "notes:/in/a/b", origin: .desktop)) { $0.hasPrefix("403 This action is private") }
    }

    static let ownTargets: [(String, String?)] = [
        ("notes:/b", nil), ("notes:b/?q=1#f", nil), ("NOTES://x-callback-url/b", nil), ("notes:/n/7", nil),
        ("todo://any/b", nil), ("notes:/{q}", nil), ("notes:/no/{q}", nil), ("notes:/off/{q}", nil),
        ("app:/no", nil), ("notes:/no", "notes:/no"), ("notes:/n/x", "notes:/n/x"), ("notes:/b%2Fb", "notes:/b%2Fb"),
        ("notes://any/b", "notes://any/b"), ("todo:/no?q={q}", "todo:/no"), ("notes:/off", "notes:/off"),
    ]

    @Test(arguments: ownTargets)
    func aFixedTargetThatNoRouteAnswersIsAFault(target: String, unanswered: String?) {
        let text = """
            schemes: { notes: , todo: { hosts: ignore } }
            routes:
            - { route: notes:/b, respond: }
            - { route: todo:/b, respond: }
            - { route: 'notes:/n/:id', input: { id: int }, respond: }
            - { route: notes:/off, enabled: false, redirect: notes:/gone }
            - { route: notes:/a, redirect: '\(target)' }
            """
        #expect(Configured.faults(of: text) == (unanswered.map { ["7:32: no route answers '\($0)'"] } ?? []))
    }

    @Test func aTargetIsLookedForBesideConflicts() {
        let text = """
            schemes: [n]
            routes: [{ route: /:a, respond: }, { route: /:b, respond: }, { route: /c, redirect: 'n:/d/e' },
              { route: /f, redirect: 'n:/g' }]
            """
        #expect(
            Configured.faults(of: text) == [
                "2:45: two routes answer the same URL with equal rank, for example n:/a; the other is at 2:19",
                "2:85: no route answers 'n:/d/e'",
            ])
    }

    static let faults: [(String, String)] = [
        ("app://{q}/b", "7:13: expected a URL whose host is literal: end the host with a slash"),
        ("app://h{q}/b", "7:13: expected a URL whose host is literal: end the host with a slash"),
        ("{q}:/b", "7:13: expected a URL whose scheme is literal"),
        ("app:/b?{q}=1", "7:13: a placeholder cannot be the name of an item: it fills a segment or a value"),
        ("app:/b?a{q}", "7:13: a placeholder cannot be the name of an item: it fills a segment or a value"),
        ("notes:/b?x-success=a", "7:13: an item that begins with ''x-'' has no effect within the router"),
        ("javascript:a", "7:13: a redirect to this scheme or host is not allowed"),
        ("ms-word:a", "7:13: a redirect to this scheme or host is not allowed"),
        (
            "https://example.org/",
            "7:13: a redirect to this scheme or host is not allowed: list it under 'callbacks: { allow: … }'"
        ),
        ("other:/a", "7:13: a redirect to this scheme or host is not allowed: list it under 'callbacks: { allow: … }'"),
    ]

    @Test(arguments: faults)
    func aTargetThatIsNotLiteralWhereItMustBeIsAFault(target: String, fault: String) {
        let text = """
            schemes: [notes]
            callbacks: { allow: [app] }
            routes:
            - route: /b
              respond:
            - route: /a
              redirect: '\(target)'
            """
        #expect(Configured.faults(of: text) == [fault.replacing("''", with: "'")])
    }

    @Test(arguments: [
        "notes-beta:/x", "mailto:x", "notes:/a?p={p}", "note:/a\ncallbacks: { allow: [note] }", "app:/{p}",
    ])
    func aTargetThatCanBeMeantIsNotWarnedOf(target: String) throws {
        let text = "schemes: [notes]\nroutes:\n- { route: /a, respond: }\n- route: /old/:p\n  redirect: \(target)\n"
        expect(try Configured(text).configuration.warnings) { $0.isEmpty }
    }

    static let escapes: [(target: String, url: String, result: String)] = [
        ("notes:/{name}/ping", "notes:/in?name=x-callback-url", "404 No route answers this action."),
        ("notes:{name}/ping", "notes:/in?name=X-Callback-URL", "404 No route answers this action."),
        ("notes:/a/{name}/ping", "notes:/in", "422 A parameter that becomes a segment is missing."),
        ("notes:/a/{name}/ping", "notes:/in?name", "422 A parameter that becomes a segment is missing."),
        ("notes:/x-callback-url/ping", "notes:/in", "pong=1"), ("notes:/ping", "notes:/in", "pong=1"),
        ("notes://x-callback-url/ping", "notes:/in", "pong=1"), ("notes:///ping", "notes:/in", "pong=1"),
    ]

    @Test(arguments: escapes)
    func noValueLeadsToAnotherAction(target: String, url: String, result: String) throws {
        var router = try Configured(
            routes: """
                  - route: notes:/in
                    redirect: "\(target)"
                  - route: notes:/ping
                    respond: { pong: 1 }
                  - route: notes:/a/ping
                    respond: { wrong: 1 }
                """)
        expect(try router.result(of: url), equals: result)
    }

    @Test func aSegmentOfAGroupThatIsLeftOutIsLeftOut() throws {
        var router = try Configured(
            routes: """
                  - route: notes:/in{/:name}
                    redirect: "notes:/a/{name}"
                  - route: notes:/a{/:name}
                    respond: { name: "{name}" }
                """)
        expect(try router.result(of: "notes:/in/x"), equals: "name=x")
        expect(try router.result(of: "notes:/in"), equals: "")
    }
}
