import Glibc
import Testing
import XCallback
import XCallbackJSON
import XCallbackTesting
import XCallbackVarlink

/// Calls to other applications that outlive the daemon.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ResumedCallTests {
    private static let configuration = """
        schemes: [notes]
        limits: { call-time: 10m, streams: 3, drain-time: 60s }
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, respond: { text: "{text}" } }
        """
    private static let accepted = "xcallback://x-callback-url/success"
    private static let refused = "xcallback://x-callback-url/error?errorCode=403"

    /// A waiting call, from the client's point of view.
    private struct Call {
        let client: RouterClient
        let secret: String
        /// The URL that the application opens.
        let target: String

        /// Calls an application.
        init(_ url: String, at socket: String, timeout: Double? = nil) throws {
            client = try RouterClient(socket)
            let number = timeout.flatMap { JSONNumber("\($0)") }
            let timeout: [JSONValue.Member] = number.map { [.init("timeout", .number($0))] } ?? []
            try client.send("Call", .object([.init("url", .string(url))] + timeout), mode: .more)
            let reply = try client.reply()
            secret = try #require(reply["secret"]?.text)
            let opened = try #require(reply["open"]?.text)
            target = try #require(try ActionURL(opened).success)
        }

        /// Resumes the call at another daemon.
        func resume(_ url: String, at socket: String) throws -> RouterClient {
            let client = try RouterClient(socket)
            try client.send("Resume", ["secret": .string(secret), "url": .string(url)])
            return client
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func anAnswerAfterARestartReachesWhoHasCalled(signal: Int32) async throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let first = try site.start()
        try first.waitUntilReady()
        var next: RunningDaemon?
        let answer = try await Client(socket: site.path).call("app:/do?x-success=done:/ok") { url in
            let daemon = try site.restart(first, with: signal)
            let target = try #require(try ActionURL(url).success)
            #expect(try site.connect().ask("\(target)?text=a") == Self.accepted)
            #expect(try site.connect().ask("\(target)?text=b")?.hasPrefix(Self.refused) == true)
            next = daemon
        }
        #expect(answer.response == .success(["text": "a"]))
        #expect(answer.author == .handler)
        #expect(answer.open == "done:/ok?text=a")
        #expect(try next?.stop() == 0)
        #expect(try site.directory.names(in: "calls") == [])
    }

    @Test func aCallIsGivenUpByADaemonThatStopsAtOnce() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let call = try Call("app:/do", at: site.path)
        daemon.process.send(signal: SIGTERM)
        #expect(errorName { _ = try call.client.reply() } == "org.xcallback.Router.Stopping")
        #expect(try daemon.process.wait() == 0)
    }

    /// The daemon is paused during both events, so that it handles them in one turn.
    @Test func aCallThatMeetsTheStopOutlivesIt() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let client = try RouterClient(site.path)
        _ = try client.call("Status")
        daemon.process.send(signal: SIGSTOP)
        try client.send("Call", ["url": "app:/do"], mode: .more)
        daemon.process.send(signal: SIGTERM)
        daemon.process.send(signal: SIGCONT)
        let reply = try client.reply()
        let secret = try #require(reply["secret"]?.text)
        let opened = try #require(reply["open"]?.text)
        let target = try #require(try ActionURL(opened).success)
        #expect(errorName { _ = try client.reply() } == "org.xcallback.Router.Stopping")
        #expect(try daemon.process.wait() == 0)
        let next = try site.start()
        try next.waitUntilReady()
        let back = try RouterClient(site.path)
        try back.send("Resume", ["secret": .string(secret), "url": "app:/do"])
        #expect(try site.connect().ask(target) == Self.accepted)
        #expect(try back.reply()["outcome"]?.text == "success")
        #expect(try next.stop() == 0)
    }

    @Test func whatIsKeptTellsNothingAndIsForNobodyElse() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let call = try Call("app:/do?text=hunter2", at: site.path)
        let name = try #require(try site.directory.names(in: "calls").first)
        let text = try site.directory.text(of: "calls/\(name)")
        let token = String(call.target.split(separator: "/")[3])
        for secret in [token, call.secret, "hunter2"] { #expect(!"\(name) \(text)".contains(secret)) }
        #expect(try site.directory.mode(of: "calls/\(name)") == 0o600)
        #expect(try site.directory.mode(of: "calls") == 0o700)
        // A reader of the folder cannot answer with its contents.
        let next = try site.restart(daemon)
        let forged = "xcallback://x-callback-url/return/\(name)/success"
        #expect(try site.connect().ask(forged)?.hasPrefix(Self.refused) == true)
        #expect(try site.connect().ask(call.target) == Self.accepted)
        #expect(try next.stop() == 0)
    }

    @Test func anAnswerWaitsForItsCallerOverAnotherRestart() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        var daemon = try site.start()
        try daemon.waitUntilReady()
        let calls = try (0..<3).map { try Call("app:/do?x-success=done:/\($0)", at: site.path) }
        daemon = try site.restart(daemon)
        let targets = [
            calls[0].target + "?a=1&b&a=%C3%A9%0A", calls[1].target.replacing("/success", with: "/cancel"),
            calls[2].target.replacing("/success", with: "/error?errorCode=7&errorMessage=No"),
        ]
        for target in targets { #expect(try site.connect().ask(target) == Self.accepted) }
        daemon = try site.restart(daemon, with: SIGKILL)
        let answers = try calls.indices.map { number in
            try calls[number].resume("app:/do?x-success=done:/\(number)", at: site.path).reply()
        }
        #expect(answers[0]["answer"]?.text == "done:/0?a=1&b&a=%C3%A9%0A")
        #expect(answers[1]["outcome"]?.text == "cancel")
        #expect(answers[2]["code"]?.integer == 7)
        #expect(answers[2]["message"]?.text == "No")
        #expect(try daemon.stop() == 0)
        #expect(try site.directory.names(in: "calls") == [])
    }

    @Test func aCallIsGoneOnWithOnceAtATime() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let call = try Call("app:/do", at: site.path)
        func resume() -> String? { errorName { _ = try call.resume("app:/do", at: site.path).reply() } }
        // The call's own client waits for it.
        #expect(resume() == "org.xcallback.Router.UnknownCall")
        let next = try site.restart(daemon)
        let client = try call.resume("app:/do", at: site.path)
        #expect(resume() == "org.xcallback.Router.UnknownCall")
        #expect(try site.connect().ask(call.target) == Self.accepted)
        #expect(try client.reply()["outcome"]?.text == "success")
        #expect(resume() == "org.xcallback.Router.UnknownCall")
        #expect(try next.stop() == 0)
    }

    @Test func aCallEndsWhenItsTimeIsOver() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let (early, late) = try (
            Call("app:/do", at: site.path, timeout: 0.2), Call("app:/do", at: site.path, timeout: 8)
        )
        #expect(try early.client.reply()["code"]?.integer == 504)
        let next = try site.restart(daemon)
        // The next daemon ends it by itself, or for a client that has returned.
        let back = try late.resume("app:/do", at: site.path)
        #expect(try back.reply()["code"]?.integer == 504)
        #expect(try site.connect().ask(late.target)?.hasPrefix(Self.refused) == true)
        #expect(try next.stop() == 0)
        #expect(try site.directory.names(in: "calls") == [])
    }

    @Test func aCallWhoseCallerDoesNotComeBackEndsToo() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let call = try Call("app:/do", at: site.path, timeout: 1)
        let next = try site.restart(daemon)
        let client = try site.connect()
        try next.ask("notes:/none", on: client) { try site.directory.names(in: "calls") == [] }
        #expect(try client.ask(call.target)?.hasPrefix(Self.refused) == true)
        #expect(try next.stop() == 0)
    }

    @Test func aCallerThatGoesAwayLeavesNothing() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        var call: Call? = try Call("app:/do", at: site.path)
        let target = try #require(call?.target)
        call = nil
        let client = try site.connect()
        try daemon.ask("notes:/none", on: client) { try site.directory.names(in: "calls") == [] }
        #expect(try client.ask(target)?.hasPrefix(Self.refused) == true)
        #expect(try daemon.stop() == 0)
    }

    @Test func whatIsNoCallIsRemovedAndNothingElse() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let calls = try (0..<3).map { try Call("app:/do", at: site.path, timeout: 100 + Double($0)) }
        try daemon.stop()
        func mark(_ digit: String) -> String { String(repeating: digit, count: 64) }
        let record = #"{"uid":\#(geteuid()),"deadline":99999999999999,"secret":"\#(mark("f"))","answer":null}"#
        try site.directory.write("{}", to: "calls/\(mark("a"))")
        try site.directory.write("", to: "calls/\(mark("b"))")
        try site.directory.write(record, to: "calls/\(mark("c")).new")
        try site.directory.write(record.replacing("99999999999999", with: "1000"), to: "calls/\(mark("d"))")
        // One more than the limit; it would wait longest.
        try site.directory.write(record, to: "calls/\(mark("e"))")
        try site.directory.write("mine", to: "calls/README")
        _ = symlink("/etc/passwd", site.directory.path(of: "calls/\(mark("0"))"))
        let next = try site.start()
        try next.waitUntilReady()
        let client = try site.connect()
        try next.ask("notes:/none", on: client) { try site.directory.names(in: "calls").count == 4 }
        #expect(site.directory.contains("calls/README"))
        #expect(try next.log.contains("calls=3 calls.given-up=2"))
        for call in calls { #expect(try site.connect().ask(call.target) == Self.accepted) }
        #expect(try next.stop() == 0)
    }

    @Test func withoutAFolderACallEndsWithTheDaemon() throws {
        let daemon = try RunningDaemon(
            starting: Self.configuration.replacing("drain-time: 60s", with: "drain-time: 20m"),
            environment: ["STATE_DIRECTORY=/proc/none", "HOME=/nonexistent"])
        try daemon.waitUntilReady()
        let client = try RouterClient(of: daemon)
        try client.send("Call", ["url": "app:/do"], mode: .more)
        let reply = try client.reply()
        #expect(reply["secret"] == .null)
        #expect(reply["limit"] == JSONNumber("600.0").map { .number($0) })
        #expect(try daemon.log.contains("a call does not survive a restart: cannot save it error=\"mkdir '/proc/none'"))
        // No answer can arrive any more.
        #expect(try daemon.stop() == 0)
        #expect(try client.reply()["code"]?.integer == 503)
        let other = try RunningDaemon(Self.configuration)
        let second = try RouterClient(of: other)
        try second.send("Call", ["url": "app:/do"], mode: .more)
        #expect(try second.reply()["secret"] == .null)
        #expect(try other.log.contains("outgoing calls do not survive a restart: there is no state directory"))
    }

    @Test func aFolderThatIsOpenToOthersIsNotUsed() throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: false)
        #expect(mkdir(site.calls, 0o755) == 0)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        let client = try RouterClient(site.path)
        try client.send("Call", ["url": "app:/do"], mode: .more)
        #expect(try client.reply()["secret"] == .null)
        #expect(try daemon.log.contains("must be a private folder of the current user"))
        daemon.process.send(signal: SIGINT)
    }
}
