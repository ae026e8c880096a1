import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Varlink calls of programs to the daemon.
@Suite(.blocking)
struct RouterCallTests {
    private static let configuration = """
        schemes: [app]
        middleware: [log]
        routes:
          - { route: "app:/echo/:text", public: true, input: { text: string }, respond: { text: "{text}" } }
          - { route: "app:/private", respond: { ok: 1 } }
          - { route: "app:/refused", policies: [{ require: { sure: "yes" } }], respond: { ok: 1 } }
          - { route: "app:/fail/:id", input: { id: int }, exec: [sh, -c, exit 7] }
          - { route: "app:/cancel", exec: [sh, -c, exit 130] }
          - { route: "app:/go", redirect: "other:/there" }
          - { route: "app:/edit", deliver: editor }
        """

    private static func daemon() throws -> RunningDaemon { try RunningDaemon(configuration) }

    /// A URL, its outcome, its code, and the author of the answer.
    static let endings: [(url: String, outcome: String, code: Int?, author: String)] = [
        ("app:/echo/a", "success", nil, "handler"), ("app:/nowhere", "error", 404, "daemon"),
        ("app:/refused", "error", 403, "daemon"), ("app:/fail/1", "error", 7, "handler"),
        ("app:/fail/x", "error", 404, "daemon"), ("app:/cancel", "cancel", nil, "handler"),
        ("app:/go", "redirect", nil, "handler"), ("no url", "error", 400, "daemon"), ("", "error", 400, "daemon"),
    ]

    @Test(arguments: endings)
    func openReportsTheOutcomeAndWhoDecided(url: String, outcome: String, code: Int?, author: String) throws {
        let daemon = try Self.daemon()
        let client = try RouterClient(daemon.socket)
        let reply = try client.open(url)
        #expect(reply["outcome"]?.text == outcome)
        #expect(reply["code"]?.integer == code)
        #expect(reply["by"]?.text == author)
        // A line gets the same URL as its answer.
        if !url.isEmpty { expect(try daemon.connect().ask(url), equals: reply["answer"]?.text) }
    }

    @Test func callsAreAnsweredInTheirOrder() throws {
        let client = try RouterClient(of: Self.daemon())
        for number in 0..<20 {
            try client.send("Open", ["url": .string("app:/echo/\(number)")])
            try client.send("Open", ["url": .string("app:/fail/\(number)")])
            try client.send("Open", ["url": .string("app:/fail/\(number)")], mode: .oneway)
        }
        for number in 0..<20 {
            expect(try client.reply()["items"], equals: [["name": "text", "value": .string("\(number)")]])
            expect(try client.reply()["code"]?.integer, equals: 7)
        }
    }

    @Test func whatIsNoCallEndsTheConnectionAfterTheAnswersBeforeIt() throws {
        for message in ["{\"method\":1}", "nonsense", "{", "{\"method\":\"a.b.C\",\"more\":true,\"oneway\":true}"] {
            let client = try RouterClient(of: Self.daemon())
            try client.send("Open", ["url": "app:/fail/3"])
            try client.send(text: message)
            try client.send("Open", ["url": "app:/echo/a"])
            expect(try client.reply()["code"]?.integer, equals: 7)
            expect(try client.replyText(), equals: nil)
        }
    }

    @Test func aClientMayDeclareItselfTheDesktopAndNothingHigher() throws {
        let client = try RouterClient(of: Self.daemon())
        for (action, code) in [("echo/a", nil), ("private", 403)] {
            let reply = try client.call("Open", ["url": .string("app:/\(action)"), "origin": "desktop"])
            #expect(reply["code"]?.integer == code)
        }
        for method in ["Open", "Explain"] {
            let name = errorName { _ = try client.call(method, ["url": "app:/private", "origin": "internal"]) }
            #expect(name == "org.varlink.service.InvalidParameter")
        }
    }

    @Test func theStatusCounts() throws {
        let daemon = try Self.daemon()
        let client = try RouterClient(daemon.socket)
        for url in ["app:/echo/a", "app:/nowhere", "app:/cancel", "app:/go"] { _ = try client.open(url) }
        _ = try daemon.connect().ask("app:/echo/b")
        let status = try client.call("Status")
        for (name, count) in [("requests", 5), ("successes", 2), ("errors", 1), ("cancels", 1), ("redirects", 1)] {
            #expect(status["total"]?[name]?.integer == count, "\(name)")
        }
        let names = status["limits"]?.elements?.compactMap { $0["name"]?.text }
        let all = [
            "connections", "requests", "processes", "streams", "bytes",
        ]
        #expect(names == all)
        #expect(status["limits"]?.elements?.first?["used"]?.integer ?? 0 >= 1)
        let account = status["accounts"]?.elements?.first
        #expect(account?["user"]?.integer == Int(geteuid()))
        #expect(account?["class"]?.text == "socket")
        #expect(account?["limits"]?.elements?.compactMap { $0["name"]?.text } == all)
        #expect(status["service"]?["routes"]?.integer == 7)
    }

    @Test func everyMethodReadsTheParametersThatTheInterfaceDeclares() throws {
        let client = try RouterClient(of: Self.daemon())
        let interface = try client.interface()
        for method in interface.methods {
            /// Calls the method; returns the parameter that its error names.
            func invalidParameter(_ parameters: JSONValue) throws -> String? {
                let needsMore = ["Call", "Monitor", "Receive", "Subscribe"].contains(method.name)
                try client.send(method.name, parameters, mode: needsMore ? .more : .once)
                do { _ = try client.reply() } catch let error as VarlinkError {
                    return error.name == "org.varlink.service.InvalidParameter"
                        ? error.parameters.first?.value.text : nil
                }
                return nil
            }
            let sample = interface.sample(of: method)
            expect(try invalidParameter(sample), equals: nil, "\(method.name) \(sample)")
            for (path, parameters) in interface.faulty(method) {
                expect(try invalidParameter(parameters), equals: path, "\(method.name) \(parameters)")
            }
        }
    }

    @Test func everyReplyIsAsTheInterfaceSays() throws {
        let daemon = try Self.daemon()
        let client = try RouterClient(daemon.socket)
        let interface = try client.interface()
        for (method, parameters) in [
            ("Open", ["url": "app:/echo/a"]), ("Open", ["url": "app:/nowhere"]), ("Explain", ["url": "app:/fail/7"]),
            ("Explain", ["url": "app:/nowhere"]), ("Explain", ["url": "%"]), ("Routes", [:]), ("Status", [:]),
            ("Reload", [:]),
        ] as [(String, JSONValue)] {
            #expect(interface.mismatch(of: try client.call(method, parameters), to: method) == nil, "\(method)")
        }
        try client.send("Monitor", ["values": .bool(true)], mode: .more)
        // The first reply confirms the start: from then on, no request is missed.
        #expect(interface.mismatch(of: try client.reply(), to: "Monitor") == nil)
        let other = try RouterClient(daemon.socket)
        _ = try other.open("app:/cancel")
        for _ in 0..<2 { #expect(interface.mismatch(of: try client.reply(), to: "Monitor") == nil) }
    }

    /// A check of the files that began before a reload says nothing about what the reload has read.
    @Test func whatAReloadHasReadIsNotCalledChanged() throws {
        func configuration(_ count: Int) -> String {
            "schemes: [a]\nroutes:\n"
                + (0..<count).map { "  - { route: \"a:/p\($0)/:x\", respond: { x: \"{x}\" } }\n" }.joined()
        }
        let daemon = try RunningDaemon(configuration(3000))
        let (reloading, asking) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket))
        for count in 3001...3004 {
            try daemon.directory.write(configuration(count), to: "config.yaml")
            try reloading.send("Reload")
            var routes: Int?
            repeat {
                let service = try asking.call("Status")["service"]
                routes = service?["routes"]?.integer
                #expect(routes != count || service?["changed"] == .bool(false), "\(count)")
            } while routes != count
            _ = try reloading.reply()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func othersSeeAndDoWhatConcernsThemselves() throws {
        let daemon = try Self.daemon()
        daemon.admitOtherUsers()
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        _ = try daemon.connect().ask("app:/echo/a")
        let calls = [
            #"Open","parameters":{"url":"app:/echo/a"}"#, #"Status""#, #"Routes""#, #"Reload""#,
            #"Explain","parameters":{"url":"app:/fail/7"}"#,
        ]
        let other = try RouterClient(daemon.socket, as: 65_534)
        for call in calls { try other.send(text: #"{"method":"org.xcallback.Router.\#(call)}"#) }
        let replies = try calls.map { _ in
            let text = try #require(try other.replyText())
            return try JSONValue(parsing: Array(text.utf8).span, maximumSize: text.utf8.count)
        }
        #expect(replies[0]["parameters"]?["outcome"] == "success")
        let status = replies[1]["parameters"]
        #expect(status?["total"] == .null)
        #expect(status?["limits"] == [])
        #expect(status?["traffic"] == [])
        #expect(status?["receivers"] == [])
        #expect(status?["accounts"]?.elements?.compactMap { $0["user"]?.integer } == [65_534])
        #expect(replies[2]["parameters"]?["routes"]?.elements?.allSatisfy { $0["place"] == .null } == true)
        #expect(replies[3]["error"] == "org.varlink.service.PermissionDenied")
        #expect(!"\(replies[4])".contains("config.yaml"))
        #expect(!"\(replies[4])".contains("exit 7"))
        withExtendedLifetime(receiver) {}
    }
}
