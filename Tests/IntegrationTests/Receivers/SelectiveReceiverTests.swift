import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Receivers that take only requests with certain values, and `xcallback listen --once`.
@Suite(.blocking)
struct SelectiveReceiverTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: app:/login, public: true, deliver: login }
          - { route: app:/slow, deliver: login, wait: 20s }
          - { route: app:/brief, deliver: login, timeout: 300ms }
        """
    private static let success = "xcallback://x-callback-url/success"

    /// Starts `listen --once`, and waits until it receives.
    private static func listen(
        _ words: String..., in site: DesktopSite, _ daemon: RunningDaemon, to output: String
    ) throws -> ChildProcess {
        let router = try RouterClient(daemon.socket)
        func count() throws -> Int { try router.call("Status", [:])["receivers"]?.elements?.count ?? 0 }
        let before = try count()
        let child = try site.start(["xcallback", "listen", "login", "--once"] + words, to: output)
        while child.isRunning, try count() == before {}
        return child
    }

    @Test func eachLoginGetsItsOwnAnswer() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        let client = try daemon.connect()
        let first = try Self.listen("--where", "state=1", in: site, daemon, to: "1")
        let second = try Self.listen("--where", "state=2", "--value", "code", in: site, daemon, to: "2")
        let third = try Self.listen("--where", "state=3", in: site, daemon, to: "3")
        for url in ["app:/login?code=x&state=4", "app:/login?code=x", "app:/login#state=4", "app:/login#state=%zz"] {
            expect(try client.ask(url), "\(url)") { $0?.contains("errorCode=503") == true }
        }
        expect(try client.ask("app:/login?code=b%0A&state=2"), equals: Self.success)
        expect(try client.ask("app:/login#access_token=t&state=3&expires_in=3600"), equals: Self.success)
        expect(try client.ask("app:/login?error=access_denied&state=1"), equals: Self.success)
        expect(try [first, second, third].map { try $0.wait() }, equals: [1, 0, 0])
        expect(try site.directory.text(of: "1"), equals: "error=access_denied\nstate=1\n")
        expect(try site.directory.text(of: "2"), equals: "b\n\n")
        expect(try site.directory.text(of: "3"), equals: "access_token=t\nstate=3\nexpires_in=3600\n")
    }

    @Test func aRequestWaitsForTheReceiverThatWantsIt() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        let other = try Self.listen("--where", "state=1", in: site, daemon, to: "1")
        let client = try daemon.connect()
        try client.send("app:/slow?state=2\n")
        let wanted = try Self.listen("--where", "state=2", in: site, daemon, to: "2")
        expect(try client.readLine(), equals: Self.success)
        expect(try wanted.wait(), equals: 0)
        // Whoever wants anything comes last.
        let any = try Self.listen("--", "sh", "-c", "exit 7", in: site, daemon, to: "3")
        expect(try client.ask("app:/login?state=1"), equals: Self.success)
        expect(try client.ask("app:/login?state=1")) { $0?.contains("errorCode=7") == true }
        expect(try [other, any].map { try $0.wait() }, equals: [0, 1])
    }

    /// The receiver that is left wants other requests.
    @Test func aRequestEndsWithTheLastReceiverThatWantsIt() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (picky, status) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        let conditions: JSONValue = [["name": "state", "value": "1"]]
        try picky.send("Receive", ["name": "login", "where": conditions], mode: .more)
        expect(try picky.reply()["request"], equals: .null)
        let askers = try (2...3).map { _ in try RouterClient(daemon.socket) }
        try {
            let receiver = try RouterClient(daemon.socket)
            try receiver.receive("login")
            for (count, asker) in zip(1..., askers) {
                try asker.send("Open", ["url": "app:/login?state=2"])
                try waitUntil("the request waits") { try status.used("requests") == count }
            }
            _ = try receiver.request()
        }()
        for asker in askers { expect(try asker.reply()["code"]?.integer, equals: 503) }
        withExtendedLifetime(picky) {}
    }

    /// Its request ends because the time is over, the caller leaves, or the daemon stops.
    @Test(arguments: ["brief", "login", "stop"])
    func aProgramEndsWithItsRequest(end: String) throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        let script = "trap 'echo stopped; exit' TERM; echo begun >begun; sleep 60 & wait"
        let child = try Self.listen("--", "sh", "-c", "cd; \(script)", in: site, daemon, to: "output")
        var client: LineClient? = try daemon.connect()
        try client?.send("app:/\(end == "stop" ? "login" : end)\n")
        try waitUntil("the program runs") { site.directory.contains("begun") }
        if end == "login" { client = nil }
        if end == "stop" { daemon.process.send(signal: SIGKILL) }
        let status = try child.wait(within: .seconds(30))
        let output = try site.directory.text(of: "output")
        #expect(status == (end == "stop" ? 7 : 1), "\(output)")
        if end == "brief" { expect(try client?.readLine()) { $0?.contains("errorCode=504") == true } }
    }

    @Test func aUserWhoNeverComesBackIsNotWaitedFor() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        let result = try site.run("xcallback", "listen", "login", "--once", "--where", "state=1", "--timeout", "100ms")
        #expect(result.status == 4)
        #expect(result.output == "xcallback: no request came within 100ms\n")
        for words in [
            ["--once", "--where", "state"], ["--where", "a=b", "--", "true"], ["--once", "--timeout", "x"],
        ] {
            expect(
                try site.start(["xcallback", "listen", "login"] + words, to: "usage").wait(), equals: 64, "\(words)")
        }
        expect(try daemon.stop(), equals: 0)
        expect(try site.run("xcallback", "listen", "login", "--once").status, equals: 7)
    }
}
