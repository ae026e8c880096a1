import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL

/// The input of a program, the parsing of its output, and the limit of running programs.
@Suite(.blocking)
struct ExecContractTests {
    private static let own = "xcallback://x-callback-url/success"

    @Test func theEnvironmentHoldsTheRequestAndLittleElse() throws {
        let site = try ExecSite(
            """
              - route: run:/env/:id{/:part}
                input:
                  a-name: { type: bool, default: "false" }
                  tags: { type: list, required: false }
                  none: { type: list, required: false }
                exec: [env]
                output: lines
            """)
        let url = "run:/env/7?tags=a,b&none&other=c&x-source=me&x-success=app:ok"
        let answer = try #require(try site.daemon.connect().ask(url))
        #expect(answer.hasPrefix("app:ok?"))
        let items = try ActionURL(answer).items.filter { $0.name != "XCALLBACK_REQUEST_ID" }
            .map { "\($0.name)=\($0.value ?? "")" }
        #expect(
            items.filter { $0.hasPrefix("XCALLBACK_") } == [
                "XCALLBACK_URL=\(url)", "XCALLBACK_ACTION=/env/7", "XCALLBACK_QUERY=tags=a,b&none&other=c",
                "XCALLBACK_SOURCE=me", "XCALLBACK_ORIGIN=socket", "XCALLBACK_UID=\(geteuid())",
                "XCALLBACK_ROUTE=run:/env/:id{/:part}", "XCALLBACK_PARAM_ID=7", "XCALLBACK_PARAM_A_NAME=false",
                "XCALLBACK_PARAM_TAGS=a/b", "XCALLBACK_PARAM_NONE=",
            ])
        // The test's daemon has these variables, and the address of its service manager.
        #expect(Set(items.filter { !$0.hasPrefix("XCALLBACK_") }) == ["HOME=/", "PATH=/usr/bin:/bin"])
    }

    static let spellings = [
        "run:/facts/a%2Fb/c?q=1&X-Success=no&%78-other=2&&q=%c3%bc+", "run:facts/%61%2fb/c/?q=1&q=%c3%bc+#?x",
        "run://facts/a%2Fb/c?q=1&q=%c3%bc+", "RUN://X-Callback-URL/facts/a%2fb/c?&q=1&q=%c3%bc+&X-=",
        "run:/x-callback-url/facts/a%2Fb/c?q=1&x-source=%3F&q=%c3%bc+",
        "run:///f%61cts/a%2Fb/c?q=1&x-error=app:&q=%c3%bc+",
    ]

    @Test(arguments: spellings)
    func aProgramGetsWhatWasMatchedWhateverTheSpelling(url: String) throws {
        let keep = #"printf '%s\n' "$XCALLBACK_ACTION?$XCALLBACK_QUERY" "$XCALLBACK_PARAM_REST" "$@" >>"${0%/*}/kept""#
        let site = try ExecSite(
            """
              - route: run:/facts/*rest
                middleware: [{ exec: [DIR/middleware, "https:/{@action}?{@query}"] }]
                policies: [{ exec: [DIR/policy, "https:/{@action}?{@query}"] }]
                exec: [DIR/handler, "https:/{@action}?{@query}"]
                output: none
            """, programs: ["middleware": keep, "policy": keep, "handler": keep])
        expect(try site.daemon.connect().ask(url)) { $0?.contains("error") == false }
        let matched = "/facts/a%2Fb/c?q=1&q=%c3%bc+"
        let each = "\(matched)\na/b/c\nhttps:/\(matched)\n"
        expect(try site.directory.text(of: "kept"), equals: each + each + each)
    }

    /// An argument, the URL, and the argument of the program; nil if it leads astray.
    static let pathsBehindActions: [(argument: String, url: String, path: String?)] = [
        ("/srv{@action}/{name}", "run:/a/b?name=c", "/srv/a/b/c"),
        ("/srv{@action}.{name}", "run:/a/b?name=c", "/srv/a/b.c"),
        ("/srv{@action}{name}", "run:/?name=c", "/srv/c"),
        ("/srv{@action}{name}", "run:/?name=../../etc/passwd", nil),
        ("/srv{@action}{name}", "run:/?name=/etc/passwd", nil),
        ("/srv{@action}{name}", "run:/a?name=/../../etc/passwd", nil),
        ("/srv/{@action}.{name}", "run:/a/b?name=x/../../../../etc/passwd", nil),
        ("/srv{@action}.{name}", "run:/?name=./etc/passwd", nil),
    ]

    @Test(arguments: pathsBehindActions)
    func whatFollowsAnActionStaysBelowItsFolder(argument: String, url: String, path: String?) throws {
        let site = try ExecSite(
            "  - { route: \"run:/{*path}\", input: { name: string }, exec: [echo, \"\(argument)\"] }\n")
        let answer = try site.daemon.connect().ask(url)
        guard let path else {
            #expect(answer?.hasPrefix(failure(422)) == true, "\(answer ?? "")")
            return
        }
        #expect(answer == result(path.replacing("/", with: "%2F")))
    }

    @Test func behindARedirectTheActionIsThatOfTheRoute() throws {
        let site = try ExecSite(
            """
              - { route: "run:/old/:id", redirect: "run:/new/{id}?n={n}" }
              - { route: "run:/new/:id", exec: [echo, "{@action}?{@query}"] }
            """)
        expect(try site.ask("old/%2F?n=1%262&m=3"), equals: result("%2Fnew%2F%252F%3Fn%3D1%25262"))
    }

    @Test func aProgramMayHaveTheDescriptorsThatTheDaemonWasStartedWith() throws {
        let site = try ExecSite(
            "  - route: run:/limit\n    exec: [sh, -c, ulimit -Sn]\n", preparation: "ulimit -Sn 300; ulimit -Hn 900")
        for _ in 0..<2 { expect(try site.ask("limit"), equals: result("300")) }
        // The daemon itself raises its limit.
        expect(try textOfFile("/proc/\(site.daemon.process.id)/limits")) { $0.contains("900                  900") }
    }

    @Test func aDaemonThatInheritsNoInterestInItsChildrenHasTheirStatus() throws {
        let site = try ExecSite(
            "  - route: run:/a\n    exec: [sh, -c, exit 7]\n", preparation: "trap '' CHLD")
        expect(try site.ask("a")) { $0?.hasPrefix(failure(7)) == true }
        try site.waitUntilNoProgramRuns()
    }

    @Test func standardInputIsTheRequestAsJSON() throws {
        let site = try ExecSite(
            """
              - route: run:/cat/:id
                input: { id: int, n: number, b: bool, tags: { type: list, of: int }, s: string }
                exec: [DIR/keep]
                output: none
            """, programs: ["keep": #"cat >"${0%/*}/input""#])
        let url = "run:/cat/007?n=1.50&b&tags=1,02&s=%22%0A&u=1&u=2&v&w=&y=1&y&x-source=me&x-error=app:no"
        expect(try site.daemon.connect().ask(url), equals: Self.own)
        let text = try site.directory.text(of: "input")
        let parts = [
            #"{"url":"\#(url)","route":"run:/cat/:id","action":"/cat/007","#,
            #""query":"n=1.50&b&tags=1,02&s=%22%0A&u=1&u=2&v&w=&y=1&y","#,
            #""parameters":{"id":7,"n":1.50,"b":true,"tags":[1,2],"s":"\"\n","u":["1","2"],"v":[],"w":"","y":["1",null]},"#,
            #""source":"me","origin":"socket","peer":{"uid":\#(geteuid()),"gid":\#(getegid()),"pid":\#(getpid())},"#,
            #""data":{},"callbacks":{"error":"app:no"}}"#,
        ]
        #expect(text == parts.joined() + "\n")
    }

    static let outputs: [(kind: String, output: String, answer: String)] = [
        ("text", "", "\(own)?result="), ("text", #"\n"#, "\(own)?result="), ("text", #"a\n\n"#, "\(own)?result=a%0A"),
        ("text", #"a\r\n"#, "\(own)?result=a%0D"), ("text", " a=b ", "\(own)?result=%20a%3Db%20"),
        ("lines", #"a=1\nb\n\nc=\nd=e=f\na=2"#, "\(own)?a=1&b&c=&d=e%3Df&a=2"), ("lines", "", own),
        ("lines", "x-y=1", failure(500)), ("lines", #"\377"#, failure(500)),
        (
            "json", #"{"b":"x y","a":[1,true,"z"],"n":null,"e":[],"s":[""],"f":1.50}"#,
            "\(own)?b=x%20y&a=1&a=true&a=z&e&s=&f=1.50"
        ),
        ("json", " {} ", own), ("json", "", failure(500)), ("json", "[]", failure(500)), ("json", "{", failure(500)),
        ("json", #"{"a":["b",null,""]}"#, "\(own)?a=b&a&a="), ("json", #"{"a":{}}"#, failure(500)),
        ("json", #"{"a":[null]}"#, failure(500)),
        ("json", #"{"X-a":1}"#, failure(500)), ("json", #"{"a":1,"a":2}"#, failure(500)),
        ("json", #"{"a":"\\u0000"}"#, failure(500)), ("none", "anything", own),
    ]

    @Test(arguments: outputs)
    func outputBecomesItems(kind: String, output: String, answer: String) throws {
        let site = try ExecSite(
            "  - route: run:/a\n    exec: [DIR/print]\n    output: \(kind)\n",
            programs: ["print": "printf '\(output)'"])
        expect(try site.ask("a"), answer) { received in
            answer.hasPrefix(failure(500)) ? received?.hasPrefix(answer) == true : received == answer
        }
    }

    @Test(arguments: [
        ("processes: 2", "limits%3A%20processes%29"),
        ("processes-per-route: 2", "limits%3A%20processes-per-route%29"),
    ])
    func moreProgramsThanMayRunAreRefused(limit: String, name: String) throws {
        let site = try ExecSite(
            "  - route: run:/wait\n    exec: [DIR/wait]\n  - route: run:/other\n    exec: [echo, fine]\n",
            programs: ["wait": #"read line <"${0%/*}/gate""#], limits: "{ \(limit) }")
        let gate = try Gate(in: site.directory)
        let clients = try (0..<2).map { _ in try site.daemon.connect() }
        for client in clients { try client.send("run:/wait\n") }
        let observer = try site.daemon.connect()
        try site.daemon.ask("other:/nothing", on: observer) { try site.daemon.state.children.count == 2 }
        let refused = try site.ask("wait")
        #expect(refused?.hasPrefix(failure(429)) == true && refused?.contains(name) == true)
        let isOfRoute = limit.hasPrefix("processes-per-route")
        expect(try site.ask("other")) { $0?.hasPrefix(isOfRoute ? result("fine") : failure(429)) == true }
        try gate.open()
        for client in clients { expect(try client.readLine(), equals: result("")) }
        expect(try site.ask("wait"), equals: result(""))
        withExtendedLifetime(gate) {}
    }

    @Test func thousandsOfProgramsLeaveNothing() throws {
        let site = try ExecSite("  - route: run:/true\n    exec: [/bin/true]\n    output: none\n")
        let client = try site.daemon.connect()
        for _ in 0..<200 { expect(try client.ask("run:/true"), equals: Self.own) }
        let descriptors = try site.daemon.state.descriptorCount
        let memory = try site.daemon.state.residentSize
        // Ten thousand would take half a minute without optimization.
        for _ in 0..<2000 { expect(try client.ask("run:/true"), equals: Self.own) }
        // The last program's descriptors close after its answer, and Dispatch keeps a few of its own.
        try site.daemon.ask("other:/nothing", on: client) {
            try site.daemon.state.descriptorCount <= descriptors + 4 && site.daemon.state.children.isEmpty
        }
        #expect(try site.daemon.state.residentSize - memory < 1 << 20)
    }

    @Test func whatStandardErrorSaysIsLoggedAndCut() throws {
        let site = try ExecSite(
            "  - route: run:/a\n    exec: [DIR/talk]\n",
            programs: ["talk": #"head -c 100000 /dev/zero | tr '\0' x >&2; printf 'line one\nline two\033\n' >&2"#])
        expect(try site.ask("a"), equals: result(""))
        let log = try site.daemon.log
        #expect(log.contains("a program wrote to standard error"))
        #expect(log.contains(#"line one\nline two"#) && !log.contains("\u{1B}"))
        #expect(log.utf8.count < 4000)
    }
}
