import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter

struct DropInTests {
    private static let main = """
        schemes: [notes]
        define: { policies: { sure: { require: sure } } }
        routes: [{ route: /a, respond: { from: main } }]
        """

    @Test func dropInsAddSchemesRoutesAndDefinitions() throws {
        var router = try Configured(
            Self.main,
            dropIns: [
                "schemes: { todo: { hosts: ignore } }\nroutes: [{ route: todo:/b, policies: [sure, mine], respond: }]",
                "define: { policies: { mine: { user: 1000 } } }\nroutes: [{ route: notes:/c, respond: { from: c } }]",
                "",
            ])
        #expect(router.configuration.summary == "valid: 3 routes for notes, todo in 3 files")
        #expect(
            router.configuration.pipeline.routes.map { "\($0.name) \($0.place)" }
                == ["notes:/a c.yaml:3", "todo:/b d/1.yaml:2", "notes:/c d/2.yaml:2"])
        expect(try router.result(of: "todo://any/b?sure=1"), equals: "")
        expect(try router.result(of: "todo:/b")) { $0.hasPrefix("403 Policy 'require'") }
        expect(try router.result(of: "notes:/c"), equals: "from=c")
    }

    @Test func aRouteWithoutASchemeHasTheOnlyOneOfItsFile() throws {
        var router = try Configured(
            Self.main, dropIns: ["schemes: [todo]\nroutes: [{ route: /a, respond: { from: drop-in } }]"])
        expect(try router.result(of: "notes:/a"), equals: "from=main")
        expect(try router.result(of: "todo:/a"), equals: "from=drop-in")
    }

    @Test func filesMayNameTheSameScheme() throws {
        var router = try Configured(
            Self.main, dropIns: ["schemes: { notes: }", "schemes: { Notes: { hosts: ignore } }", "schemes: [notes]"])
        expect(try router.result(of: "notes://host/a"), equals: "from=main")
    }

    static let faults: [([String], [String])] = [
        (
            ["limits: { line: 1KiB }\npolicies: [sure]\nrouts: []"],
            [
                "d/1.yaml:1:1: 'limits' is for all routes and belongs in 'c.yaml': a drop-in holds 'schemes', 'define' "
                    + "and 'routes'",
                "d/1.yaml:2:1: 'policies' is for all routes and belongs in 'c.yaml': a drop-in holds 'schemes', "
                    + "'define' and 'routes'",
                "d/1.yaml:3:1: unknown key 'routs' in a drop-in; did you mean 'routes'?",
            ]
        ),
        (["port: 1"], ["d/1.yaml:1:1: unknown key 'port' in a drop-in; expected schemes, define or routes"]),
        (
            ["define: { policies: { sure: { user: self } } }"],
            ["d/1.yaml:1:23: policy 'sure' is defined twice; the first is at 2:23"]
        ),
        (
            ["schemes: { notes: { hosts: ignore } }", "schemes: { notes: { hosts: action } }"],
            ["d/2.yaml:1:28: the scheme 'notes' has other settings elsewhere; the other is at d/1.yaml:1:28"]
        ),
        (
            ["routes:\n- { route: 'notes:/:x', respond: }", "routes:\n  - route: notes:/:y\n    respond:"],
            [
                "d/2.yaml:2:12: two routes answer the same URL with equal rank, for example notes:/a; the other is "
                    + "at d/1.yaml:2:12"
            ]
        ),
        (
            ["routes: [{ route: notes:/a, respond: { x: '{' } }]"],
            [
                "d/1.yaml:1:19: two routes answer the same URL with equal rank, for example notes:/a; the other is "
                    + "at 3:19",
                "d/1.yaml:1:43: a '{' without its '}' in a template: write '{{' for a brace",
            ]
        ),
        (
            ["routes: [{ route: nots:/b, respond: { x: '{' }, policies: [sur] }]"],
            [
                "d/1.yaml:1:19: the scheme 'nots' is not listed under 'schemes'; did you mean 'notes'?",
                "d/1.yaml:1:42: a '{' without its '}' in a template: write '{{' for a brace",
                "d/1.yaml:1:60: unknown policy 'sur'; did you mean 'sure'?",
            ]
        ),
        (
            ["schemes: [to do]\nroutes: [{ route: todo:/b, redirect: notes:/no }]"],
            [
                "d/1.yaml:1:11: 'to do' is not a scheme: expected a letter, then letters, digits, '+', '-' or '.'; "
                    + "did you mean 'to-do'?"
            ]
        ),
    ]

    @Test(arguments: faults)
    func aFaultIsReportedWithItsFile(dropIns: [String], faults: [String]) {
        #expect(Configured.faults(of: Self.main, dropIns: dropIns) == faults)
    }

    @Test func whatAnUnreadableFileMayHoldIsNotMissed() {
        let broken =
            "schemes: [todo]\ndefine: { policies: { mine: { user: self } } }\nroutes: [{ route: todo:/b, respond: ]"
        let other = "routes: [{ route: todo:/a, policies: [mine], redirect: todo:/b, publc: true }]"
        #expect(
            Configured.faults(of: Self.main, dropIns: [broken, other]) == [
                "d/1.yaml:3:37: expected a value",
                "d/2.yaml:1:65: unknown key 'publc' in a route; did you mean 'public'?",
            ])
        #expect(Configured.faults(of: "a: [", dropIns: [other]).map { $0.prefix(9) } == ["1:5: expe", "d/1.yaml:"])
    }

    @Test func theSchemesMayStandInDropInsAlone() throws {
        expect(
            try Configured("", dropIns: ["schemes: [todo]"]).configuration.summary,
            equals: "valid: 0 routes for todo in 2 files")
        #expect(
            Configured.faults(of: "limts:", dropIns: [""]) == [
                "1:1: expected the key 'schemes' in a configuration",
                "1:1: unknown key 'limts' in a configuration; did you mean 'limits'?",
            ])
    }
}
