import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter
import XCallbackTesting

struct WarningTests {
    /// The warnings of some routes, each as `line: message`.
    private static func warnings(_ routes: String, head: String = "") throws -> [String] {
        let text = "schemes: [notes]\n\(head)routes:\n\(routes)"
        return try Configured(text).configuration.warnings.warnings.map { fault in
            "\(fault.place.line): \(fault.message)" + (fault.other.map { " \($0.place.line)" } ?? "")
        }
    }

    @Test(arguments: [("ssh: {}", 1), ("mpv: { title: Films }", 1), ("ssh: { syntax: callback }", 0), ("notes: {}", 0)])
    func aWellKnownSchemeOfOthersLacksItsSyntax(scheme: String, count: Int) throws {
        let warnings = try Configured("schemes: { \(scheme) }\nroutes: []\n").configuration.warnings.warnings
        #expect(warnings.count == count && warnings.allSatisfy { $0.message.contains("{ syntax: ") }, "\(warnings)")
    }

    private static let publicProgram =
        "any web page can run this program without asking you: add the policy 'confirm', or remove 'public: true'"

    private static let path = getenv("PATH").map { String(cString: $0) } ?? ""

    static let programs: [(String, [String])] = [
        ("exec: [true]", []), ("exec: [/bin/true]", []),
        (
            "exec: [no-such-program]",
            ["4: program 'no-such-program' is not in the PATH (\(path)): install it, or write its whole path"]
        ),
        (
            "exec: [/bin/no-such-program]",
            ["4: '/bin/no-such-program' does not exist"]
        ),
        ("exec: [/bin]", ["4: '/bin' is a folder"]),
        (
            "exec: [/etc/passwd]",
            [
                "4: '/etc/passwd' is not executable: run 'chmod +x /etc/passwd'"
            ]
        ), ("exec: [/dev/null]", ["4: '/dev/null' is not a file"]),
        ("exec: [no-such-program]\n  enabled: false", []),
        (
            "exec: [true]\n  cwd: '/no/{{such}}'",
            ["5: the folder '/no/{such}' does not exist: run 'mkdir -p '/no/{such}''"]
        ),
        ("exec: [true]\n  public: true", ["4: \(publicProgram)"]),
        ("exec: [true]\n  public: true\n  enabled: false", []),
        ("exec: [true]\n  public: true\n  policies: [{ user: 0 }]", ["4: \(publicProgram)"]),
        ("exec: [true]\n  public: true\n  policies: [{ user: 0, rate: 1/s }]", []),
        ("respond:\n  public: true", []),
    ]

    @Test(arguments: programs)
    func programsThatAreNotThereOrOpenToTheWebAreWarnedOf(route: String, expected: [String]) throws {
        expect(try Self.warnings("- route: /a\n  \(route)\n"), equals: expected)
    }

    @Test func linksThatBrowsersOpenThemselvesAreNotWarnedOf() throws {
        let text = "schemes: { https: { syntax: url }, ssh: { syntax: url } }\nroutes:\n"
        let routes = ["https", "ssh"].map { "- { route: '\($0)://*link', public: true, exec: [true, '{@url}'] }\n" }
        let warnings = try Configured(text + routes.joined()).configuration.warnings.warnings
        #expect(warnings.map { "\($0.place.line): \($0.message)" } == ["4: \(Self.publicProgram)"])
    }

    /// A key of a public route, its value, and whether the code in it reads the URL.
    static let code: [(key: String, value: String, readsURL: Bool)] = [
        ("exec", "[sh, -c, 'open \"$XCALLBACK_URL\"']", true),
        ("exec", "[env, A=b, bash, -c, 'echo $XCALLBACK_URL']", true),
        ("exec", "[python3, -c, 'os.environ[\"XCALLBACK_URL\"]']", true),
        ("policies", "[{ rate: 1/s, exec: [sh, -c, 'test \"$XCALLBACK_URL\"'] }]", true),
        ("policies", "[{ confirm: { exec: [sh, -c, 'ask \"$XCALLBACK_URL\"'] } }]", true),
        ("middleware", "[{ exec: [sh, -c, 'echo \"$XCALLBACK_URL\"'] }]", true),
        ("exec", "[sh, -c, 'echo $XCALLBACK_ACTION $XCALLBACK_URLS $MY_XCALLBACK']", false),
        ("exec", "[printenv, XCALLBACK_URL]", true),
        ("exec", "[note, 'XCALLBACK_URL={@origin}']", true),
    ]

    @Test(arguments: code)
    func codeOfAPublicRouteThatReadsTheReceivedURLIsWarnedOf(key: String, value: String, readsURL: Bool) throws {
        let rest = key == "exec" ? "" : "  respond:\n"
        let route = "- route: /a\n  public: PUBLIC\n  \(key): \(value)\n\(rest)"
        func warnings(_ isPublic: Bool) throws -> [String] {
            try Self.warnings(route.replacing("PUBLIC", with: "\(isPublic)")).filter { $0.contains("XCALLBACK_URL") }
        }
        let warning =
            "5: this code reads XCALLBACK_URL, which a web page can spell in many ways: use XCALLBACK_ACTION and "
            + "XCALLBACK_QUERY, which are what the route has matched"
        expect(try warnings(true), equals: (readsURL ? [warning] : []))
        expect(try warnings(false), equals: [])
    }

    /// The action and the query of such a URL lack its user, its port and its fragment.
    @Test func codeOfAnotherSyntaxReadsTheURL() throws {
        let text = """
            schemes: { ssh: { syntax: url } }
            routes: [{ route: "ssh://*link", public: true, policies: [{ confirm: Open? }], exec: [sh, -c, 'echo "$XCALLBACK_URL"'] }]
            """
        expect(try Configured(text).configuration.warnings.description) { !$0.contains("reads XCALLBACK_URL") }
    }

    @Test func thePoliciesAroundARouteCount() throws {
        let route = "- route: /a\n  public: true\n  exec: [true]\n"
        expect(try Self.warnings(route, head: "policies: [{ rate: 1/s }]\n"), equals: [])
        expect(try Self.warnings(route, head: "policies: [{ user: self }]\n"), equals: ["6: \(Self.publicProgram)"])
    }

    @Test func aProgramAsMiddlewareOfAPublicRouteIsWarnedOf() throws {
        let route = "- route: /a\n  middleware: [MIDDLEWARE]\n  policies: [{ rate: 1/s }]\n  public: true\n  respond:\n"
        let warning =
            "7: any web page can run this middleware without asking you, because policies come after it: remove "
            + "'public: true'"
        expect(try Self.warnings(route.replacing("MIDDLEWARE", with: "log")), equals: [])
        expect(try Self.warnings(route.replacing("MIDDLEWARE", with: "log, { exec: [true] }")), equals: [warning])
    }

    @Test(arguments: [
        ("respond:", false), ("redirect: bear:/x", false), ("deliver: editor", true), ("publish: saved", true),
        ("deliver: editor\n  start: ['true']", true),
    ])
    func aHandlerActsUnlessItOnlyAnswers(handler: String, acts: Bool) throws {
        let route = "- route: /a\n  public: true\n  \(handler)\n"
        let warning = Self.publicProgram.replacing("program", with: "action")
        expect(try Self.warnings(route), equals: acts ? ["5: \(warning)"] : [])
        expect(try Self.warnings(route + "  policies: [{ confirm: Sure? }]\n"), equals: [])
        let offered = "- route: /a\n  agent: true\n  description: It does.\n  \(handler)\n"
        let agents =
            "4: an assistant can run this action, which may change something: no policy before it checks more than the user, "
            + "and 'effect' is not 'read'"
        expect(try Self.warnings(offered), equals: acts ? [agents] : [])
        expect(try Self.warnings(offered + "  effect: read\n"), equals: [])
    }
}
