import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Raw lines to and from `xcallback mcp`.
@Suite(.blocking)
struct AssistantTests {
    private let directory: TemporaryDirectory
    private let daemon: RunningDaemon
    /// A question stays until it is open.
    private let gate: Gate

    init() throws {
        directory = try TemporaryDirectory()
        gate = try Gate(in: directory)
        daemon = try RunningDaemon(
            """
            schemes: [app, more]
            callbacks: { allow: ["https://example.org"] }
            limits: { processes-per-route: 64 }
            routes:
              - { route: app:/told, agent: told, respond: { from: "{@origin}", by: "{@source}" } }
              - { route: more:/told, agent: more, respond: { a: "1" } }
              - { route: app:/slow, agent: slow, exec: [sh, -c, "echo $$ >\(directory.path)/pid; exec sleep 600"] }
              - route: app:/counts
                agent: counts
                exec: [sh, -c, 'for i in 1 2; do echo "[$i/2] step" >&2; sleep 0.4; done']
                progress: true
              - { route: app:/web, agent: web, redirect: "https://example.org/page" }
              - { route: app:/no, agent: refused, policies: [{ confirm: { exec: ["false"] } }], exec: [touch, \(directory.path)/ran] }
              - route: app:/asked
                agent: asked
                policies: [{ confirm: { exec: [sh, -c, "echo >>\(directory.path)/asking; read line <\(gate.path); exit 1"] } }]
                exec: [touch, \(directory.path)/ran]
            """)
    }

    /// What each request says without a handshake.
    private static let meta: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": [:] as JSONValue,
    ]

    /// Waits until the slow tool's program runs; returns its process ID.
    private func slowProgram() throws -> Int32 {
        var id: Int32?
        try waitUntil("the program runs") {
            id = (try? directory.text(of: "pid")).flatMap { Int32($0.dropLast()) }
            return id != nil
        }
        return try #require(id)
    }

    /// The file is made before the line is written, and the program may be killed between both.
    private func waitUntilAsked() throws {
        try waitUntil("the user is asked") { (try? directory.text(of: "asking")) == "\n" }
    }

    private static func waitUntilGone(_ id: Int32) throws {
        try waitUntil("the program has ended") { kill(id, 0) != 0 }
    }

    @Test(arguments: [0, SIGTERM] as [Int32])
    func itsEndEndsItsCalls(signal: Int32) throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        _ = try client.begin("slow")
        let program = try slowProgram()
        if signal == 0 { client.closeInput() } else { client.process.send(signal: signal) }
        expect(try client.process.wait(), equals: (signal == 0 ? 0 : 128 + SIGTERM))
        try Self.waitUntilGone(program)
        // The call gets no answer.
        expect(try client.receive(), equals: nil)
    }

    @Test func oneSchemeIsOffered() throws {
        let client = try AssistantClient(of: daemon.socket, ["--scheme", "MORE"])
        try client.initialize()
        let tools = try client.ask("tools/list")["result"]?["tools"]?.elements ?? []
        #expect(tools.compactMap { $0["name"]?.text } == ["more"])
        expect(try client.call("told")["code"]?.integer, equals: -32602)
    }

    /// Nothing is added to a URL that another specification defines.
    @Test func aToolOfSyntaxURLKnowsTheClient() throws {
        let daemon = try RunningDaemon(
            """
            schemes: { site: { syntax: url } }
            routes:
              - { route: "site://:host", agent: host, strict: true, respond: { by: "{@source}", url: "{@url}" } }
            """)
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        expect(
            try client.call("host", ["host": "a.example"])["structuredContent"],
            equals: ["by": "tests", "url": "site://a.example"])
    }

    @Test func aWebPageIsOnlyNamed() throws {
        let client = try AssistantClient(of: daemon.socket, environment: ["XCALLBACK_OPENER=/bin/false"])
        try client.initialize()
        expect(try client.call("web")["structuredContent"], equals: ["url": "https://example.org/page?x-source=tests"])
    }

    @Test func itReportsCallsWithoutTheirValues() throws {
        let client = try AssistantClient(of: daemon.socket, ["--verbose"])
        try client.initialize(as: "secret-name")
        _ = try client.call("told", ["other": "secret-value"])
        _ = try client.call("refused")
        let log = try client.log
        #expect(log.contains("xcallback: told: error 422, "))
        #expect(log.contains("xcallback: refused: cancel, "))
        #expect(!log.contains("secret"))
    }

    /// While the user is asked, messages of the client do not affect the user's answer.
    @Test func noMessageOfAClientAnswersAQuestion() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let id = try client.begin("asked")
        try waitUntilAsked()
        for line in [
            #"{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"answer":"yes"}}}"#,
            #"{"jsonrpc":"2.0","method":"elicitation/create","params":{"action":"accept"}}"#,
            #"{"jsonrpc":"2.0","id":90,"method":"elicitation/create","params":{"action":"accept"}}"#,
            #"{"jsonrpc":"2.0","id":91,"method":"tools/call","params":{"name":"asked","inputResponses":{"confirm":{"action":"accept"}},"requestState":"yes"}}"#,
            #"{"jsonrpc":"2.0","id":92,"method":"tools/call","params":{"name":"asked","arguments":{"confirm":"yes"}}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"yes"}}"#,
        ] { try client.send(line) }
        expect(try client.message(to: .number(90))["error"]?["code"]?.integer, equals: -32601)
        // Assistants may have one question at a time.
        let second = try client.message(to: .number(91))["result"]?["content"]?.elements?.first?["text"]?.text ?? ""
        #expect(second.hasSuffix(" (429)"), "\(second)")
        let third = try client.message(to: .number(92))
        #expect("\(third)".contains("no parameter 'confirm'"))
        try gate.open()
        let answer = try client.message(to: id)["result"]
        #expect(answer?["isError"] == .bool(true))
        let text = answer?["content"]?.elements?.first?["text"]
        #expect(text == "cancelled: the user answered no, or ended the action while it ran")
        #expect(!directory.contains("ran"))
        expect(try client.text(of: "asked")) { $0.hasPrefix("error: The user did not allow this action") }
    }

    /// An assistant that repeatedly asks and cancels does not make the question reappear.
    @Test func aQuestionThatWasTakenBackLetsTheActionRest() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let id = try client.begin("asked")
        try waitUntilAsked()
        try client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
        var text = ""
        // The question ends once the daemon has noticed.
        repeat { text = try client.text(of: "asked") } while text.contains("is still open")
        #expect(text.hasPrefix("error: The user did not allow this action"), "\(text)")
        expect(try directory.text(of: "asking"), equals: "\n")
    }

    /// A client may have an earlier list, and not request another.
    @Test func changesAreReportedToWhoHasAskedForNoList() throws {
        let client = try AssistantClient(of: daemon.socket)
        let id = try client.request(
            "subscriptions/listen", ["_meta": Self.meta, "notifications": ["toolsListChanged": .bool(true)]])
        expect(try client.message(to: nil)["method"], equals: "notifications/subscriptions/acknowledged")
        // Its watch has started once the daemon counts it.
        let router = try RouterClient(daemon.socket)
        try waitUntil("the watch has started") { try router.used("streams") > 0 }
        // Lists are made one after the other: its first list has been made before this one.
        _ = try router.call("Routes")
        let text = try daemon.directory.text(of: "config.yaml")
        try daemon.directory.write(text.replacing("agent: told,", with: "agent: told, title: New,"), to: "config.yaml")
        _ = try router.call("Reload")
        let message = try client.message(to: nil)
        #expect(message["method"] == "notifications/tools/list_changed")
        #expect(message["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"] == id)
    }

    /// Unread output blocks neither the bridge nor a program.
    @Test func aClientThatGoesWithoutReadingEndsItsCalls() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        _ = try client.begin("slow")
        let program = try slowProgram()
        for _ in 0..<8000 {
            guard client.takesMore else { break }
            try client.send(#"{"jsonrpc":"2.0","id":"y","method":"initialize","params":{}}"#)
        }
        client.closeInput()
        expect(try client.process.wait(), equals: 0)
        try Self.waitUntilGone(program)
    }

    /// Together, the answers exceed what may wait for a client that does not read.
    @Test func aLongConversationGoesOn() throws {
        let client = try AssistantClient(of: daemon.socket)
        let method = String(repeating: "m", count: 50_000)
        for _ in 0..<30 { expect(try client.ask(method)["error"]?["message"]?.text) { $0?.contains(method) == true } }
    }

    @Test func tooManyCallsAreRefused() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let ids = try (0..<73).map { _ in try client.begin("slow") }
        let refused = try client.message(to: ids[72])["result"]
        #expect(refused?["isError"] == .bool(true))
        #expect("\(refused ?? .null)".contains("Too many calls"), "\(refused ?? .null)")
        // A waiting call is cancelled, and the next one takes its place.
        try client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(ids[40])}}"#)
        let next = try client.begin("told")
        for id in ids[..<72] {
            try client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
        }
        expect(try client.message(to: next)["result"]) { $0?["isError"] == .bool(false) }
    }

    @Test func aLongCallIsReported() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        _ = try client.request("tools/call", ["name": "slow", "_meta": ["progressToken": "t"]])
        let progress = try client.message(to: nil)
        #expect(progress["method"] == "notifications/progress")
        #expect(progress["params"]?["progressToken"] == "t" && progress["params"]?["message"] == nil)
        guard case .number(let time)? = progress["params"]?["progress"] else { throw TestFailure("no progress") }
        expect(Double(time.text)) { 10...20 ~= $0 ?? 0 }
    }

    @Test func whatAnActionSaysIsReported() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let id = try client.request("tools/call", ["name": "counts", "_meta": ["progressToken": "t"]])
        for number in 1...2 {
            let progress = try client.message(to: nil)["params"]
            #expect(progress?["progressToken"] == "t" && progress?["message"] == .string("\(number) of 2: step"))
        }
        #expect(try client.message(to: id)["result"]?["isError"] == .bool(false))
    }

    @Test func withoutADaemonEverythingSaysSo() throws {
        let client = try AssistantClient(of: "/nonexistent/socket")
        try client.initialize()
        let list = try client.ask("tools/list")
        #expect(list["error"]?["code"]?.integer == -32603)
        #expect(list["error"]?["message"]?.text?.contains("/nonexistent/socket") == true)
        let result = try client.call("told")
        #expect(result["isError"] == .bool(true))
        #expect("\(result)".contains("/nonexistent/socket"))
        let discovery = try client.ask("server/discover", ["_meta": Self.meta])
        #expect(discovery["result"]?["supportedVersions"] == ["2026-07-28"])
    }
}
