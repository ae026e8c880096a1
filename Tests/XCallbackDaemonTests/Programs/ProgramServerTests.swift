import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Programs that a service of their own runs for the router.
@Suite(.timeLimit(.minutes(10)))
struct ProgramServerTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/echo/:text", input: { n: { type: int, max: 9, default: 7 } }, exec: [echo, "{n}", "{text}"] }
          - { route: "app:/error", exec: [sh, -c, "echo no >&2; exit 3"] }
          - { route: "app:/killed", exec: [sh, -c, "kill -KILL $$"] }
          - { route: "app:/missing", exec: [/nonexistent] }
          - { route: "app:/silent", exec: [echo, hidden], output: none }
          - { route: "app:/long", exec: [seq, "9999999"] }
          - { route: "app:/input", exec: [cat], output: json }
          - { route: "app:/environment", exec: [printenv, XCALLBACK_ROUTE] }
          - { route: "app:/facts/*rest", exec: [printenv, XCALLBACK_ACTION, XCALLBACK_QUERY, XCALLBACK_PARAM_REST] }
          - { route: "app:/begun/*rest", respond: {},
              middleware: [{ exec: [printf, '{{"answer":{{"is":"%s"}}}}', "{@action} {@query}"] }] }
          - { route: "app:/middleware", middleware: [{ exec: [echo, '{{"data":{{"k":[1]}},"parameters":{{"n":"5"}}}}'] }],
              respond: { seen: "{n}" } }
          - { route: "app:/policy", policies: [{ rate: 9/s }, { exec: [sh, -c, "exit 4"] }], respond: {} }
          - { route: "app:/slow", exec: [sleep, "600"], timeout: 50ms }
          - { route: "app:/counts", exec: [sh, -c, 'for i in 1 2 3; do echo "[$i/3] n" >&2; sleep 1.2; done'],
              progress: true, timeout: { idle: 3s } }
          - { route: "app:/waits", exec: [sleep, "600"] }
          - { route: "app:/detached", detach: true,
              exec: [sh, -c, "while [ -d FOLDER ] && [ ! -e FOLDER/go ]; do sleep 0.01; done"] }
          - { route: "app:/place/:n", cwd: ./, env: { NOTE: "{n} here" },
              exec: [sh, -c, 'test . -ef "$1" && echo "$NOTE"', sh, FOLDER] }
          - { route: "app:/nowhere", cwd: /nonexistent, exec: [echo] }
          - { route: "app:/own", exec: [echo, own], runner: spawn }
          - { route: "app:/started", deliver: name, start: [printenv, XCALLBACK_NAME] }
          - { route: "app:/url/:n", exec: [echo, "{@url}"] }
          - { route: "app:/to/:n", redirect: "app:/url/{n}" }
          - { route: "app:/twice", redirect: "app:/to/9" }
          - { route: "app:/else", redirect: "app:/environment" }
        limits: { output: 1000 }

        """

    static let answers = [
        ("app:/echo/hello", "success?result=7%20hello"), ("app:/echo/hello?n=8", "success?result=8%20hello"),
        ("app:/error", "error?errorCode=3&errorMessage=The%20program%20ended%20with%20status%203."),
        ("app:/killed", "error?errorCode=500"), ("app:/missing", "error?errorCode=500"), ("app:/silent", "success"),
        ("app:/long", "error?errorCode=429"), ("app:/environment", "success?result=app%3A%2Fenvironment"),
        (
            "app://x-callback-url/facts/a%2fb/c?%78-other=&X-a=1&k=%2b&&k=[",
            "success?result=%2Ffacts%2Fa%252Fb%2Fc%0Ak%3D%252b%26k%3D%255B%0Aa%2Fb%2Fc"
        ),
        ("app://begun/a%2fb?x-a=1&k=+", "success?is=%2Fbegun%2Fa%252Fb%20k%3D%2B"),
        ("app:/middleware", "success?seen=5"), ("app:/policy", "error?errorCode=403"),
        ("app:/place/7", "success?result=7%20here"), ("app:/nowhere", "error?errorCode=500"),
        ("app:/to/7?a", "success?result=app%3A%2Fto%2F7%3Fa"), ("app:/twice", "success?result=app%3A%2Ftwice"),
        ("app:/slow", "error?errorCode=504"), ("app:/detached", "success"), ("app:/own", "success?result=own"),
    ]

    @Test(arguments: answers)
    func theRouterAnswersAsIfItHadRunTheProgram(url: String, answer: String) async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let received = try #require(try site.client().ask(url))
        #expect(received.hasPrefix("xcallback://x-callback-url/\(answer)"), "\(received)")
        try site.letDetachedProgramsEnd()
        if url != "app:/own" { try await site.events.wait(for: "stopped") }
    }

    @Test func theProgressOfTheProgramReachesTheClientAndRenewsItsTime() async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let client = try site.routerClient()
        try client.send("Open", ["url": "app:/counts"], mode: .more)
        for number in 1...3 {
            let progress: JSONValue = [
                "text": "n", "done": .number(JSONNumber(number)), "total": .number(JSONNumber(3)),
            ]
            expect(try client.reply()["progress"], equals: progress)
        }
        #expect(try client.reply()["outcome"] == "success")
    }

    @Test func theProgramReadsTheRequestAsTheRouterHasIt() async throws {
        let site = try await ProgramServerSite(Self.configuration.replacing("output: json", with: "output: text"))
        let answer = try #require(
            try site.client().ask("app://x-callback-url/input?a=%C3%A4&b&x-source=me&x-success=other:/done"))
        #expect(answer.hasPrefix("other:/done?result="))
        for part in [
            #""url":"app://x-callback-url/input?a=%C3%A4&b&x-source=me&x-success=other:/done""#, #""source":"me""#,
            #""parameters":{"a":"ä","b":[]}"#, #""callbacks":{"success":"other:/done"}"#,
            #""peer":{"uid":\#(geteuid()),"gid":\#(getegid()),"pid":\#(getpid())}"#, #""origin":"socket""#,
        ] {
            #expect(answer.contains(Self.encoded(part)), "\(part)")
        }
    }

    @Test func theProgramEndsWhenTheConnectionCloses() async throws {
        let site = try await ProgramServerSite(Self.configuration)
        do {
            let connection = try site.open(Self.call("app:/waits"))
            withExtendedLifetime(connection) {}
        }
        try await site.events.wait(for: "stopped")
        #expect(site.events.all == ["stopped"])
    }

    @Test func aDetachedProgramCountsUntilItHasEnded() async throws {
        let site = try await ProgramServerSite(
            Self.configuration.replacing("output: 1000", with: "output: 1000, processes: 1"))
        let client = try site.client()
        expect(try client.ask("app:/detached"), equals: "xcallback://x-callback-url/success")
        expect(try client.ask("app:/detached")) { $0?.contains("errorCode=429") == true }
        try site.letDetachedProgramsEnd()
        try await site.events.wait(for: "stopped")
        // The runner is good for one program.
        while try client.ask("app:/detached")?.contains("errorCode=503") != true {}
    }

    @Test func theRouterStopsWithoutItsDetachedPrograms() async throws {
        let site = try await ProgramServerSite(Self.configuration)
        expect(try site.client().ask("app:/detached"), equals: "xcallback://x-callback-url/success")
        try await site.stopRouter()
        #expect(!site.events.all.contains("stopped"))
        try site.letDetachedProgramsEnd()
        try await site.events.wait(for: "stopped")
    }

    private static let dropIns = [
        "a.yaml": """
        routes:
          - { route: "app:/a", policies: [named], exec: [echo, a] }
          - { route: "app:/a/other", exec: [echo, other] }

        """,
        "b.yaml": """
        define: { policies: { named: [{ origin: socket }] } }
        routes:
          - { route: "app:/b", exec: [echo, b] }

        """,
    ]

    static let edits: [(file: String, old: String, new: String, running: [String], refused: [String])] = [
        ("routes.d/b.yaml", "exec", "exce", ["/a", "/a/other", "/echo/x"], ["/b"]),
        ("routes.d/b.yaml", "routes:", "\t%", ["/a/other", "/echo/x"], ["/a", "/b"]),
        ("routes.d/b.yaml", "origin: socket", "origin: desktop", ["/a/other", "/b"], ["/a"]),
        ("routes.d/a.yaml", "echo, other", "echo, edited", ["/a", "/b"], ["/a/other"]),
        ("routes.d/a.yaml", "routes:", "# A comment.\nroutes:", ["/a", "/a/other"], []),
        ("routes.d/0.yaml", "", "define: { policies: { named: [{ origin: agent }] } }\n", ["/a", "/b"], []),
        ("routes.d/0.yaml", "", "\t%", ["/a", "/b"], []),
        ("config.yaml", "output: 1000", "outputs: 1000", ["/a", "/echo/x"], []),
        ("config.yaml", "routes:", "policies: [{ rate: 9/s }]\nroutes:", [], ["/a", "/echo/x"]),
        ("config.yaml", "schemes: [app]", "\t%", [], ["/a", "/echo/x"]),
    ]

    @Test(arguments: edits)
    func onlyProgramsWhoseRouteHasChangedAreRefused(
        file: String, old: String, new: String, running: [String], refused: [String]
    ) async throws {
        for (action, runs) in running.map({ ($0, true) }) + refused.map({ ($0, false) }) {
            let site = try await ProgramServerSite(Self.configuration, dropIns: Self.dropIns)
            let name = file.split(separator: "/").last.map(String.init) ?? file
            let text = Self.dropIns[name] ?? (name == "config.yaml" ? Self.configuration : "")
            try site.edit(file, old.isEmpty ? new : text.replacing(old, with: new))
            let answer = try #require(try site.client().ask("app:\(action)"))
            if runs {
                #expect(answer.contains("success?result="), "\(action): \(answer)")
            } else {
                #expect(answer.contains("errorCode=503"), "\(action): \(answer)")
                #expect(answer.contains("xcallback%20reload"), "\(action): \(answer)")
            }
            try await site.events.wait(for: "stopped")
        }
    }

    @Test func itEndsWithItsRouterWhateverIsUnderWay() async throws {
        for round in 0..<40 {
            let site = try await ProgramServerSite(
                Self.configuration.replacing("[sh, -c, \"while", with: "[/nonexistent, \"while"))
            do {
                let connection = try site.open(Self.call("app:/detached"))
                // The program fails to start on a thread of its own, so the connection closes before it, or after it.
                if round % 2 == 0 { _ = try connection.readReply() }
            }
            try await site.events.wait(for: "stopped")
        }
    }

    @Test func aProgramIsStartedToReceive() async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let call = try site.open(Self.started(as: "app:/started"))
        // It has ended before the first reply.
        expect(try call.readReply(), equals: #"{"parameters":{"status":0,"output":"","exceeded":false,"errors":""}}"#)
        expect(try call.readReply(), equals: "")
    }

    private static let noRedirect =
        "No redirect leads from the received URL to this route: if it has changed, 'xcallback reload' loads it."

    static let refusals = [
        (call("app:/none"), "RouteChanged", "the configuration of the route has changed since it was loaded"),
        (
            call("/bin/sh", url: "app:/waits"), "RouteChanged",
            "the configuration of the route has changed since it was loaded"
        ),
        (
            call("app:/waits", content: "1"), "RouteChanged",
            "the configuration of the route has changed since it was loaded"
        ),
        (call("app:/own"), "NoSuchProgram", "the configuration names no program there"),
        (call("app:/waits", stage: "middleware"), "NoSuchProgram", "the configuration names no program there"),
        (call("app:/waits", position: 1), "NoSuchProgram", "the configuration names no program there"),
        (call("app:/policy", stage: "policy"), "NoSuchProgram", "the configuration names no program there"),
        (call("app:/waits", position: -1), "NoSuchProgram", "the configuration names no program there"),
        (call("app:/waits", url: "app:/own"), "RequestRefused", "The URL is not one of this route."),
        (call("app:/waits", origin: "desktop"), "RequestRefused", nil),
        (redirected(from: "app:/waits"), "RequestRefused", noRedirect),
        (redirected(from: "app:/else"), "RequestRefused", noRedirect),
        (redirected(from: "file:///etc/shadow"), "RequestRefused", noRedirect),
        (redirected(from: "app:/to/7", as: "url"), "RequestRefused", noRedirect),
        (
            call("app:/echo/:text", url: "app:/echo/a", items: ["text": "-e", "n": "1"]), "RequestRefused",
            "Parameter 'text' must not begin with '-'."
        ),
        (call("app:/waits", more: #","arguments":["x"]"#), "InvalidParameter", nil),
        (call("app:/waits", more: #","user":"root""#), "InvalidParameter", nil),
        (call("app:/waits", stage: "shell"), "InvalidParameter", nil),
        (started(as: "app:/waits"), "NoSuchProgram", nil),
        (started(as: "app:/waits").replacing(##""content":"#app:/waits#","##, with: ""), "InvalidParameter", nil),
        (#"{"route":"app:/waits"}"#, "InvalidParameter", nil),
    ]

    @Test(arguments: refusals)
    func aCallBeyondTheConfigurationIsRefused(call: String, error: String, reason: String?) async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let reply = try site.reply(to: call)
        #expect(reply.contains(error), "\(reply)")
        try await site.events.wait(for: "stopped")
        let refusals = site.events.all.filter { $0.hasPrefix("rejected a call: ") }
        #expect(refusals.count == 1)
        if let reason { #expect(refusals == ["rejected a call: \(reason)"]) }
    }

    static let garbage = ["GET / HTTP/1.1", "[]", #"{"method":1}"#, String(repeating: "x", count: 5 << 20)]

    @Test func aProgramServerOfAnotherVersionIsNamed() async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let call = #"{"method":"org.xcallback.ProgramServer.Run","parameters":{}}"#
        expect(try site.reply(toMessage: call)) { $0.contains("org.varlink.service.ExpectedMore") }
        try await site.events.wait(for: "stopped")
        unlink(site.socket)
        let client = try site.client()
        for reply in [#"{"error":"org.varlink.service.InvalidParameter"}"#, #"{"parameters":{"done":true}}"#, "[]"] {
            let other = try SocketServer(site.socket) { connection in
                var call: [UInt8] = []
                while !call.contains(0), try connection.receive(into: &call) {}
                try connection.send(Array(reply.utf8) + [0])
            }
            let answer = try client.ask("app:/waits")
            #expect(answer?.contains("restart%20xcallbackd.service") == true, "\(reply): \(answer ?? "")")
            withExtendedLifetime(other) { _ = unlink(site.socket) }
        }
    }

    @Test(arguments: garbage)
    func garbageHasNoReply(message: String) async throws {
        let site = try await ProgramServerSite(Self.configuration)
        let reply = try? site.reply(toMessage: message)
        #expect(reply == "" || reply == nil)
        try await site.events.wait(for: "stopped")
        #expect(site.events.all.contains { $0.hasPrefix("rejected a call: ") })
    }

    @Test(.enabled(if: geteuid() == 0, "another user's configuration takes root to make"))
    func theConfigurationIsRoots() async throws {
        let site = try await ProgramServerSite(Self.configuration, ownerID: 0)
        expect(try site.reply(to: Self.call("app:/own"))) { $0.contains("NoSuchProgram") }
        let other = try await ProgramServerSite(Self.configuration, ownerID: 0)
        other.giveConfiguration(to: 7)
        let reply = try other.reply(to: Self.call("app:/own"))
        #expect(reply.contains(#"RouteChanged","parameters":{"reason":"the configuration of the route has changed"#))
        #expect(other.events.all.contains { $0.contains("belongs to root, found uid 7") })
    }

    @Test func nobodyElseIsAnswered() async throws {
        let site = try await ProgramServerSite(Self.configuration, callerID: geteuid() + 1)
        site.admitOtherUsers()
        let other = try geteuid() == 0 ? RouterClient(site.socket, as: 65_534) : RouterClient(site.socket)
        // The connection can be closed before the call is sent.
        try? other.send("Run")
        expect(try? other.replyText(), equals: nil)
        try await site.events.wait(for: "rejected a call: the caller is not the router")
    }

    @Test(arguments: ["app:/echo/a", "app:/started"])
    func aMissingRunnerCountsForTheUserOfTheRequest(url: String) async throws {
        let limits = "limits: { output: 1000, log-lines: 5 }"
        let site = try await ProgramServerSite(
            Self.configuration.replacing("limits: { output: 1000 }", with: limits))
        unlink(site.socket)
        let client = try site.client()
        for _ in 0..<15 { expect(try client.ask(url)) { $0?.contains("errorCode=503") == true } }
        let message = "cannot run a program through xcallbackd-run.socket"
        #expect(site.routerEvents.all.count { $0 == message } == 5)
    }

    /// A call that starts a program as a receiver.
    private static func started(as route: String) -> String {
        ##"{"route":"\##(route)","content":"#\##(route)#","files":[],"stage":"handler","position":0}"##
    }

    /// A call for a request that a redirect is said to have led to its route.
    private static func redirected(from received: String, as syntax: String = "callback") -> String {
        call("app:/url/:n", url: "app:/url/7", items: ["n": "7"]).replacing(
            #","origin""#, with: #","received":{"text":"\#(received)","syntax":"\#(syntax)"},"origin""#)
    }

    private static func call(
        _ route: String, url: String? = nil, items: KeyValuePairs<String, String> = [:], origin: String = "socket",
        stage: String = "handler", position: Int = 0, content: String? = nil, more: String = ""
    ) -> String {
        let items = items.map { #"{"name":"\#($0)","value":"\#($1)"}"# }.joined(separator: ",")
        return #"{"route":"\#(route)","content":"\#(content ?? "#\(route)#")","files":[],"stage":"\#(stage)","#
            + #""position":\#(position),"request":{"url":{"text":"\#(url ?? route)","syntax":"callback"}"#
            + #","origin":"\#(origin)","peer":{"uid":0,"gid":0,"pid":1},"parameters":[\#(items)],"data":{}}\#(more)}"#
    }

    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": encoded += String(Unicode.Scalar(byte))
            default: encoded += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
            }
        }
        return encoded
    }
}
