import Logging
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter

struct RouterConfigurationTests {
    static let faults: [(String, String)] = [
        ("", "1:1: expected the key 'schemes' in a configuration"),
        ("schemes: []", "1:10: expected at least one scheme"),
        ("- a", "1:1: expected a mapping for a configuration, found a list"),
        ("schemes: [notes]\nrouts: []", "2:1: unknown key 'routs' in a configuration; did you mean 'routes'?"),
        ("schemes: [notes, Notes]", "1:18: the scheme 'notes' is listed twice"),
        ("schemes: [xcallback]", "1:11: the scheme 'xcallback' is the daemon's own: choose another"),
        ("schemes: [javascript]", "1:11: the scheme 'javascript' cannot be a router's own: choose another"),
        ("schemes: [MS-word]", "1:11: the scheme 'ms-word' cannot be a router's own: choose another"),
        ("schemes: [https]", "1:11: the scheme 'https' cannot be a router's own: write 'https: { syntax: url }'"),
        ("schemes: { notes: { host: ignore } }", "1:21: unknown key 'host' in a scheme; did you mean 'hosts'?"),
        ("schemes: [n]\nlimits: { lines: 1 }", "2:11: unknown key 'lines' in the limits; did you mean 'line'?"),
        ("schemes: [n]\nlimits: { line: 2MiB }", "2:17: expected a size from 256 to 1MiB, found '2MiB'"),
        ("schemes: [n]\nlimits: { redirects: -1 }", "2:22: expected a whole number from 0 to 64, found '-1'"),
        (
            "schemes: [n]\nroutes: [{ route: /a, timeout: 0s, respond: }]",
            "2:32: expected a duration from 1ms to 1d, found '0s'"
        ),
        (
            "schemes: [n]\nroutes: [{ route: /a, timeout: 0, respond: }]",
            "2:32: expected a duration such as 5s or 250ms, found '0'"
        ),
        ("schemes: [n]\nlimits: { handler-time: 0s }", "2:25: expected a duration from 1ms to 1d, found '0s'"),
        (
            "schemes: [n]\ncallbacks: { allow: [https] }",
            "2:22: 'https' cannot be allowed: expected a scheme such as app, or a site such as "
                + "https://example.org"
        ),
        (
            "schemes: [n]\ncallbacks: { allow: [JavaScript] }",
            "2:22: 'JavaScript' cannot be allowed: opening its URLs can run code"
        ),
        ("schemes: [n]\ncallbacks: { alow: [] }", "2:14: unknown key 'alow' in the callbacks; did you mean 'allow'?"),
        ("schemes: [n]\ndefine: { middleware: { log: log } }", "2:25: 'log' is built in and cannot be defined"),
        ("schemes: [n]\ndefine: { policies: { rate: user } }", "2:23: 'rate' is built in and cannot be defined"),
    ]

    @Test(arguments: faults)
    func aFaultIsReportedWithItsPlace(text: String, faults: String) {
        #expect(Configured.faults(of: text).joined(separator: "\n") == faults)
    }

    static let refusedCallbacks = [
        "http", "HTTPS", "javascript", "ms-word", "'https://example.org/'", "'https://example.org/a'", "'a b'",
        "'https://'", "'javascript://a'", "'file://host'", "'example.org/a'", "''",
    ]

    @Test(arguments: refusedCallbacks)
    func whatCannotBeAllowedIsAFault(callback: String) {
        let faults = Configured.faults(of: "schemes: [n]\ncallbacks: { allow: [app, \(callback)] }")
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.hasPrefix("2:27: ") && $0.contains("cannot be allowed") })
    }

    static let routes: [(String, String)] = [
        ("{ respond: }", "3:3: expected the key 'route' in a route"),
        (
            "{ route: notes:/a, respond: , redirect: notes:/b }",
            "3:3: expected one handler in a route, 'deliver', 'exec', 'publish', 'redirect' or 'respond', found 2"
        ),
        ("{ route: /a, respond: }", "3:12: expected a scheme and a pattern, such as notes:/ping"),
        (
            "{ route: notes:/a, input: { a: [b] }, respond: }",
            "3:34: expected a type such as int, or a mapping such as { type: enum, values: [a, b] }, found a list"
        ),
        ("{ route: notes:/a, respond: , middleware: [lg] }", "3:46: unknown middleware 'lg'"),
        ("{ route: notes:/a, respond: , middleware: [lgo] }", "3:46: unknown middleware 'lgo'; did you mean 'log'?"),
        (
            "{ route: notes:/a, respond: , middleware: [{ log: 1 }] }",
            "3:53: expected a mapping for a 'log' middleware, found '1'"
        ),
        ("{ route: notes:/a, respond: , policies: [{ mine: 1 }] }", "3:52: expected nothing after 'mine', found '1'"),
        (
            "{ route: 'notes:/f/*path', respond: , input: { path: string } }",
            "3:48: 'path' is a wildcard and has many values: expected '{ type: list, of: string }'"
        ),
        (
            "{ route: notes:/a, public: true, respond: , input: { a: { type: list, of: file } } }",
            "3:47: a link or an assistant could name any file: expected 'folder', the only folder whose files they may name"
        ),
        ("{ route: notes:/a, public: true, folder: /, respond: , input: { a: file } }", ""),
        (
            "{ route: notes:/a, public: true, ask: true, respond: , input: { a: string, pin: { secret: true } } }",
            "3:36: a link must not ask for the secret 'pin': leave out 'ask', or move the secret to a route of its own"
        ),
        (
            "{ route: notes:/a, ask: true, respond: , input: { a: string }, policies: [{ confirm: ['true'] }] }",
            "3:22: 'ask' shows the question of 'confirm', and cannot show that of a program: expected a 'text' there"
        ),
        ("{ route: notes:/a, respond: , input: { x-a: int } }", "3:42: a parameter cannot be called 'x-a'"),
        (
            "{ route: notes:/a, respond: , input: { a: itn } }",
            "3:45: expected int, number, bool, string, date, url, uuid, data, json, file, enum or list, found 'itn'; did you mean 'int'?"
        ),
    ]

    @Test(arguments: routes)
    func aFaultOfARouteIsReportedWithItsPlace(route: String, faults: String) {
        let text = "schemes: [notes, todo]\nroutes:\n- \(route)\ndefine: { policies: { mine: { user: self } } }"
        #expect(Configured.faults(of: text).joined(separator: "\n") == faults)
    }

    private static let host =
        "a route has no host: expected a scheme, a colon and a pattern, such as notes:/ping"

    static let patterns: [(String, String)] = [
        ("notes:/a!b", "3:18: '!' is reserved; put '\\' before it, at position 2 of /a!b"),
        ("notes:/é!b", "3:18: '!' is reserved; put '\\' before it, at position 2 of /é!b"),
        ("/a!b", "3:12: '!' is reserved; put '\\' before it, at position 2 of /a!b"),
        ("notes://a", "3:10: \(host)"), ("notes:/x-callback-url/a", "3:10: \(host)"),
        ("/x-callback-url", "3:10: \(host)"),
        ("notes:a", "3:16: a pattern must start with '/', at position 0 of a"),
        ("/:id/:id", "3:15: the capture name 'id' is used twice, at position 5 of /:id/:id"),
        ("'notes:/a!b'", "3:10: '!' is reserved; put '\\' before it, at position 2 of /a!b"),
    ]

    @Test(arguments: patterns)
    func aFaultOfAPatternIsReportedWithItsColumn(pattern: String, fault: String) {
        let text = "schemes: [notes]\nroutes:\n- route: \(pattern)\n  respond:\n"
        #expect(Configured.faults(of: text) == [fault])
    }

    @Test func allFaultsAreReportedAtOnceAndInOrder() {
        let text = """
            schemes: [notes, http]
            rotes: 1
            middleware: [lgo]
            limits: { line: 1 }
            routes:
            - route: notes:/a(
            - { route: notes:/b, respond: { a: '{' } }
            - { route: notes:/c }
            """
        let places = Configured.faults(of: text).map { String($0.prefix { $0 != " " }) }
        #expect(places == ["1:18:", "2:1:", "3:14:", "4:17:", "6:3:", "6:18:", "7:36:", "8:3:"])
    }

    @Test func theLimitsReachThePipeline() throws {
        var router = try Configured(
            """
            schemes: { notes: { hosts: ignore }, todo: }
            limits: { parameters: 1, redirects: 0, line: 1KiB, handler-time: 5s }
            log: { level: debug }
            routes: [{ route: notes:/a, respond: { a: 1 } }, { route: notes:/b, redirect: 'notes:/a' }]
            """)
        expect(try router.result(of: "notes:/a?b&c")) { $0.hasPrefix("413 ") }
        expect(try router.result(of: "notes:/b")) { $0.hasPrefix("508 ") }
        expect(try router.result(of: "notes://any/a"), equals: "a=1")
        #expect(router.configuration.limits.line == 1024)
        #expect(router.configuration.limits.handlerTime == .seconds(5))
        #expect(router.configuration.logLevel == .debug)
        #expect(router.configuration.summary == "valid: 2 routes for notes, todo")
    }

    @Test(arguments: [
        ("a:/b/:x:y", "3:19"), ("a:/e\u{301}e\u{301}/:x:y", "3:20"), ("a:/b\n      /:x:y", "3:12"),
        ("'a:/b/:x:y'", "3:12"), ("&b a:/b/:x:y", "3:12"),
    ])
    func aFaultOfAPatternIsPlacedInItWhereThatIsOneLine(pattern: String, place: String) {
        let faults = Configured.faults(of: "schemes: [a]\nroutes:\n  - route: \(pattern)\n    respond:\n")
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("\(place): text must stand between 'y' and") == true, "\(faults)")
    }

    @Test(arguments: ["", "routes: []\n", "routes:\n- group: { routes: [] }\n"])
    func aConfigurationWithoutRoutesIsChecked(routes: String) {
        let faults = Configured.faults(of: "schemes: [notes]\nmiddleware: [lgo]\npolicies: [raet]\n\(routes)")
        #expect(
            faults == [
                "2:14: unknown middleware 'lgo'; did you mean 'log'?",
                "3:12: unknown policy 'raet'; did you mean 'rate'?",
            ])
    }
}
