import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter

struct GroupTests {
    private static let schemes = "schemes: [notes, todo]\n"

    @Test func aGroupsRoutesShareWhatItSays() throws {
        var router = try Configured(
            routes: """
                - group:
                    scheme: todo
                    prefix: /users/:user
                    policies: [{ require: outer }]
                    routes:
                      - { route: /, respond: { user: "{user}" } }
                      - { route: "{/:part/}notes", policies: [{ require: own }], respond: { part: "{part}" } }
                      - group:
                          prefix: /in
                          scheme: NOTES
                          policies: [{ require: inner }]
                          routes:
                            - { route: "/:id", policies: [{ require: own }], respond: { user: "{user}", id: "{id}" } }
                            - { route: "todo:/:id", respond: { todo: "{id}" } }
                - { route: notes:/after, respond: { after: 1 } }
                """)
        let names = router.configuration.pipeline.routes.map(\.name)
        #expect(
            names == [
                "todo:/users/:user", "todo:/users/:user{/:part/}notes", "notes:/users/:user/in/:id",
                "todo:/users/:user/in/:id", "notes:/after",
            ])
        expect(try router.result(of: "todo:/users/a?outer=1"), equals: "user=a")
        expect(try router.result(of: "todo:/users/a/b/notes?outer=1&own=1"), equals: "part=b")
        expect(try router.result(of: "notes:/users/a/in/7?outer=1&inner=1&own=1"), equals: "user=a|id=7")
        expect(try router.result(of: "todo:/users/a/in/7?outer=1&inner=1"), equals: "todo=7")
        expect(try router.result(of: "notes:/after"), equals: "after=1")
    }

    @Test func stagesAreMetFromTheOutsideIn() throws {
        var router = try Configured(
            """
            schemes: [n]
            policies: [{ require: a }]
            routes:
            - group:
                policies: { require: b }
                routes:
                  - group:
                      policies: [{ require: c }, { require: d }]
                      routes: [{ route: /x, policies: [{ require: e }], respond: }]
            """)
        var url = "n:/x?"
        for name in ["a", "b", "c", "d", "e"] {
            expect(try router.result(of: url)) { $0.hasSuffix("parameter '\(name)' is missing.") }
            url += "&\(name)=1"
        }
        expect(try router.result(of: url), equals: "")
    }

    @Test func whatIsNotEnabledIsLeftOut() throws {
        var router = try Configured(
            routes: """
                - group:
                    enabled: false
                    routes:
                      - { route: notes:/a, respond: }
                      - { route: notes:/a, enabled: true, redirect: notes:/gone }
                      - group: { enabled: true, routes: [{ route: notes:/a, respond: }] }
                - { route: notes:/b, respond: }
                """)
        expect(try router.result(of: "notes:/a")) { $0.hasPrefix("404 ") }
        #expect(router.configuration.routeCount == 1)
    }

    static let faults: [(String, String)] = [
        ("group: {}", "3:10: expected the key 'routes' in a group"),
        ("group: { routes: 1 }", "3:20: expected a list, found '1'"),
        (
            "{ group: { routes: [] }, public: true }",
            "3:28: unknown key 'public' in the item of a group; expected group"
        ),
        ("group: { prefx: /a, routes: [] }", "3:12: unknown key 'prefx' in a group; did you mean 'prefix'?"),
        (
            "group: { scheme: nots, routes: [{ route: /a, respond: }] }",
            "3:20: the scheme 'nots' is not listed under 'schemes'; did you mean 'notes'?"
        ),
        (
            "group: { prefix: 'notes:/a', routes: [] }",
            "3:20: a pattern must start with '/', at position 0 of notes:/a"
        ),
        (
            "group: { prefix: /a!b, routes: [{ route: 'notes:/:id', respond: { x: '{id}', y: '{' } }] }",
            "3:22: '!' is reserved; put '\\' before it, at position 2 of /a!b\n"
                + "3:83: a '{' without its '}' in a template: write '{{' for a brace"
        ),
        (
            "group: { prefix: '/:id', routes: [{ route: notes:/x/:id, respond: }] }",
            "3:52: the capture name 'id' is used twice, at position 4 of /:id/x/:id"
        ),
        (
            "group: { prefix: /a/:id, routes: [{ route: notes:/b!c, strict: true, respond: { x: '{id}' } }] }",
            "3:54: '!' is reserved; put '\\' before it, at position 2 of /b!c"
        ),
        (
            "group: { policies: [ratee], middleware: lgo, routes: [] }",
            "3:23: unknown policy 'ratee'; did you mean 'rate'?\n"
                + "3:43: unknown middleware 'lgo'; did you mean 'log'?"
        ),
        (
            "group: { scheme: notes, prefix: /a, routes: [{ route: /b, respond: }, { route: 'todo:/b', respond: }, "
                + "{ route: 'NOTES:/b', respond: }] }",
            "3:114: two routes answer the same URL with equal rank, for example notes:/a/b; the other is at 3:57"
        ),
        (
            "group: { enabled: false, routes: [{ route: notes:/a, respond: { a: '{' } }] }",
            "3:70: a '{' without its '}' in a template: write '{{' for a brace"
        ),
        ("{ gruop: , route: notes:/a, respond: }", "3:5: unknown key 'gruop' in a route; did you mean 'group'?"),
    ]

    @Test(arguments: faults)
    func aFaultIsReportedWithItsPlace(item: String, faults: String) {
        #expect(Configured.faults(of: Self.schemes + "routes:\n- \(item)\n").joined(separator: "\n") == faults)
    }
}
