import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// The socket for assistants, with the running daemon: the socket determines the origin, whatever a client declares.
@Suite(.blocking)
struct AgentSocketTests {
    private let daemon: RunningDaemon
    private let socket: String

    init() throws {
        let directory = try TemporaryDirectory()
        socket = directory.path(of: "agent/socket")
        daemon = try RunningDaemon(
            starting: """
                schemes: { app: { title: Offered }, secret: { title: Hidden } }
                routes:
                  - { route: app:/private, public: true, exec: [touch, \(directory.path)/ran] }
                  - { route: "app:/items/:id", agent: true, respond: { id: "{id}", from: "{@origin}" } }
                  - { route: app:/away, agent: true, redirect: "other:/there" }
                  - { route: app:/own, agent: true, redirect: "app:/items/7" }
                  - { route: secret:/private, respond: { a: "1" } }
                """, arguments: ["--agent-socket", socket], in: directory)
        try daemon.waitUntilReady()
    }

    @Test func theSocketIsItsUsersInAFolderOfItsOwn() throws {
        expect(try daemon.directory.mode(of: "agent/socket") & 0o777, equals: 0o600)
        expect(try daemon.directory.mode(of: "agent") & 0o777, equals: 0o700)
        expect(try daemon.stop(), equals: 0)
        // READY is sent before the log line is written.
        expect(try daemon.log) { $0.contains("agent.socket=\(socket)") }
        #expect(access(socket, F_OK) != 0)
    }

    static let refusal =
        "xcallback://x-callback-url/error?errorCode=403&errorMessage=This%20action%20is%20not%20"
        + "offered%20to%20assistants."

    @Test func linesComeFromAnAssistant() throws {
        let client = try LineClient(socket)
        expect(try client.ask("app:/items/7"), equals: "xcallback://x-callback-url/success?id=7&from=agent")
        expect(try client.ask("app:/private"), equals: Self.refusal)
        expect(try client.ask("app:/items/7?x-success=app:/private"), equals: "app:/private?id=7&from=agent")
        expect(try client.ask("app:/private?id=7&from=agent"), equals: Self.refusal)
        expect(try client.ask("secret:/private"), equals: Self.refusal)
        // The configuration's own redirect comes from its author.
        expect(try client.ask("app:/own"), equals: "xcallback://x-callback-url/success?id=7&from=internal")
        #expect(!daemon.directory.contains("ran"))
    }

    @Test func theHistoryKeepsLines() throws {
        let client = try LineClient(socket)
        _ = try client.ask("app:/items/7")
        _ = try client.ask("app:/private")
        // What the user sends is not kept.
        _ = try LineClient(daemon.socket).ask("app:/items/8")
        var entries: [String] = []
        try waitUntil("the history has two entries") {
            let text = try? daemon.directory.text(of: "state/xcallbackd/history-assistants.jsonl")
            entries = text?.split(separator: "\n").map(String.init) ?? []
            return entries.count == 2
        }
        #expect(entries[0].contains("app:/items/:id") && entries[1].contains(#""code":403"#), "\(entries)")
        #expect(!daemon.directory.contains("state/xcallbackd/history.jsonl"))
    }

    /// An assistant that does not wait for the answer has started the program all the same.
    @Test func theHistoryKeepsLinesWithoutAReader() throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path(of: "agent/socket")
        let daemon = try RunningDaemon(
            starting: """
                schemes: [app]
                routes:
                  - { route: app:/start, agent: true, exec: [sh, -c, 'echo >"$0"; sleep 60', \(directory.path)/started] }
                """, arguments: ["--agent-socket", socket], in: directory)
        try daemon.waitUntilReady()
        var client: LineClient? = try LineClient(socket)
        try client?.send("app:/start\n")
        try waitUntil("the program runs") { directory.contains("started") }
        client = nil
        try waitUntil("the history has the request") {
            let text = try? directory.text(of: "state/xcallbackd/history-assistants.jsonl")
            return text?.contains(#""route":"app:/start""#) == true
        }
    }

    @Test(arguments: [.null, "socket", "desktop", "agent"] as [JSONValue])
    func noWordOfAClientChangesTheOrigin(declared: JSONValue) throws {
        let client = try RouterClient(socket)
        let offered = try client.call("Open", ["url": "app:/items/7", "origin": declared])
        #expect(offered["answer"]?.text == "xcallback://x-callback-url/success?id=7&from=agent")
        let refused = try client.call("Open", ["url": "app:/private", "origin": declared, "follow": .bool(true)])
        #expect(refused["code"]?.integer == 403)
        #expect(!daemon.directory.contains("ran"))
        // Nothing is internal over a socket.
        let name = errorName { _ = try client.call("Open", ["url": "app:/items/7", "origin": "internal"]) }
        #expect(name == "org.varlink.service.InvalidParameter")
    }

    static let otherCalls: [(String, JSONValue)] = [
        ("Explain", ["url": "app:/private"]), ("Status", [:]), ("Cancel", ["id": "a-1"]), ("Monitor", [:]),
        ("Reload", [:]),
        ("Check", [:]), ("Receive", ["name": "editor"]), ("Retire", ["name": "editor", "key": "k"]),
        ("Respond", ["id": "1", "outcome": "cancel"]), ("Subscribe", ["topics": ["news"]]),
        ("Publish", ["topic": "news", "items": []]), ("Call", ["url": "other:/there"]),
    ]

    @Test(arguments: otherCalls)
    func allElseIsDenied(method: String, parameters: JSONValue) throws {
        let client = try RouterClient(socket)
        try client.send(method, parameters, mode: .more)
        #expect(errorName { _ = try client.reply() } == "org.varlink.service.PermissionDenied")
        // The connection stays open.
        expect(try client.open("app:/items/7")["outcome"]?.text, equals: "success")
    }

    /// This test fails until a new method is covered.
    @Test func allMethodsAreTried() throws {
        let methods = try RouterClient(socket).interface().methods.map(\.name)
        #expect(Set(methods) == Set(Self.otherCalls.map(\.0)).union(["Open", "Routes"]))
    }

    @Test func onlyWhatIsOfferedIsListed() async throws {
        let client = try RouterClient(socket)
        let page = try client.call("Routes")
        let routes = page["routes"]?.elements ?? []
        #expect(routes.compactMap { $0["route"]?.text } == ["app:/items/:id", "app:/away", "app:/own"])
        #expect(routes.allSatisfy { $0["place"]?.text == nil })
        #expect(page["schemes"]?.elements?.compactMap { $0["scheme"]?.text } == ["app"])
        for try await routes in try await Client(socket: socket).routeUpdates() {
            #expect(routes.count == 3)
            break
        }
    }

    @Test func whoWatchesLearnsThatARouteIsNotOfferedAnyMore() async throws {
        let client = Client(socket: socket)
        var lists = try await client.routeUpdates().makeAsyncIterator()
        expect(try await lists.next()?.count, equals: 3)
        let text = try daemon.directory.text(of: "config.yaml")
        try daemon.directory.write(text.replacing("app:/away, agent: true", with: "app:/away"), to: "config.yaml")
        try await Client(socket: daemon.socket).reload()
        expect(try await lists.next()?.count, equals: 2)
    }

    @Test func theCommandWorksThereAndSaysWhatDoesNot() throws {
        let site = try DesktopSite(socket: socket)
        let open = try site.run("xcallback", "open", "app:/items/:id", "--param", "id=a b")
        #expect(open.output == "id=a b\nfrom=agent\n")
        let routes = try site.run("xcallback", "routes")
        #expect(routes.output.contains("/away") && !routes.output.contains("secret"), "\(routes.output)")
        for words in ["call other:/there", "call app:/away", "explain app:/away", "status", "reload"] {
            let result = try site.run("sh", "-c", "xcallback \(words)")
            #expect(result.status == 5, "\(words): \(result.status)")
            #expect(result.output.contains("not over its socket for assistants"), "\(result.output)")
        }
    }

    /// A process in a sandbox must not prevent the start of the user's daemon.
    @Test func whatStandsInItsPlaceKeepsNobodyElseOut() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "agent/socket/other")
        let daemon = try RunningDaemon(
            starting: RunningDaemon.echoConfiguration,
            arguments: ["--agent-socket", directory.path(of: "agent/socket")],
            in: directory)
        try daemon.waitUntilReady()
        expect(try daemon.connect().ask("notes:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
        expect(try daemon.log) { $0.contains("error assistants cannot connect") }
    }
}
