import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// What another user of the machine reaches, method by method.
@Suite(
    .blocking, .enabled(if: geteuid() == 0, "only root may become another user"))
struct OtherUserTests {
    private static let userID: UInt32 = 65_534
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: "app:/ping", respond: { pong: "1" } }
              - { route: "app:/fails", exec: [/nonexistent] }
              - { route: "app:/edit", deliver: editor }
              - { route: "app:/draw", deliver: painter, receivers: [{ user: \(Self.userID) }] }
              - { route: "app:/told", publish: told }
              - { route: "app:/news", publish: news, receivers: [{ user: \(Self.userID) }] }

            """)
        daemon.admitOtherUsers()
    }

    static let refused: [(method: String, parameters: JSONValue, error: String)] = [
        ("Check", [:], "org.varlink.service.PermissionDenied"),
        ("Reload", [:], "org.varlink.service.PermissionDenied"),
        ("Monitor", ["user": .number(0)], "org.varlink.service.PermissionDenied"),
        ("Receive", ["name": "editor"], "org.varlink.service.PermissionDenied"),
        ("Subscribe", ["topics": ["told"]], "org.varlink.service.PermissionDenied"),
        ("Subscribe", ["topics": ["news", "told"]], "org.varlink.service.PermissionDenied"),
        ("Publish", ["topic": "told", "items": []], "org.varlink.service.PermissionDenied"),
        ("Call", ["url": "other:/there"], "org.varlink.service.PermissionDenied"),
    ]

    @Test(arguments: refused)
    func whatBelongsToTheDaemonsUserIsDenied(method: String, parameters: JSONValue, error: String) throws {
        let client = try RouterClient(daemon.socket, as: Self.userID)
        try client.send(method, parameters, mode: .more)
        #expect(errorName { _ = try client.reply() } == error)
    }

    @Test func onlyTheUserOfTheReceiverResponds() throws {
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let caller = try RouterClient(daemon.socket)
        try caller.send("Open", ["url": "app:/edit"])
        let request = try receiver.request()
        let other = try RouterClient(daemon.socket, as: Self.userID)
        #expect(
            errorName { try other.respond(to: request, [("by", "other")]) } == "org.xcallback.Router.UnknownRequest")
        try RouterClient(daemon.socket).respond(to: request, [("by", "receiver")])
        expect(try caller.reply()["answer"]?.text, equals: "xcallback://x-callback-url/success?by=receiver")
    }

    @Test func onlyTheUserOfTheReceiverRetiresIt() throws {
        let receiver = try RouterClient(daemon.socket)
        try receiver.send("Receive", ["name": "editor", "key": "k"], mode: .more)
        _ = try receiver.reply()
        let parameters: JSONValue = ["name": "editor", "key": "k"]
        let other = try RouterClient(daemon.socket, as: Self.userID)
        expect(try other.call("Retire", parameters)["retired"]?.integer, equals: 0)
        expect(try RouterClient(daemon.socket).call("Retire", parameters)["retired"]?.integer, equals: 1)
    }

    @Test func theConfigurationIsHidden() throws {
        let (own, other) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket, as: Self.userID))
        for (method, parameters) in [("Routes", [:]), ("Explain", ["url": "app:/fails"])] as [(String, JSONValue)] {
            let file = "config.yaml"
            #expect("\(try own.call(method, parameters))".contains(file))
            let shown = "\(try other.call(method, parameters))"
            #expect(!shown.contains(file) && !shown.contains("nonexistent"), "\(shown)")
        }
        #expect(try own.open("app:/fails")["cause"]?.text != nil)
        expect(try other.open("app:/fails")["cause"]?.text, equals: nil)
    }

    @Test func onlyOwnRequestsAndAccountsAreSeen() throws {
        let (own, other) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket, as: Self.userID))
        let monitor = try RouterClient(daemon.socket, as: Self.userID)
        try monitor.send("Monitor", mode: .more)
        _ = try monitor.reply()
        _ = try own.open("app:/ping")
        expect(try other.open("app:/ping")["outcome"]?.text, equals: "success")
        expect(try monitor.reply()["event"]?["peer"]?["uid"]?.integer, equals: Int(Self.userID))
        let receiver = try RouterClient(daemon.socket)
        try receiver.receive("editor")
        let status = try other.call("Status")
        #expect(status["total"] == .null)
        #expect(status["limits"]?.elements?.isEmpty == true && status["traffic"]?.elements?.isEmpty == true)
        let users = status["accounts"]?.elements?.compactMap { $0["user"]?.integer } ?? []
        #expect(users.allSatisfy { $0 == Int(Self.userID) })
        #expect(status["receivers"]?.elements?.isEmpty == true)
        expect(try own.call("Status")["receivers"]?.elements) { $0?.isEmpty == false }
    }

    @Test func theValuesOfOthersAreHidden() throws {
        let (own, other) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket, as: Self.userID))
        let monitors = (try RouterClient(daemon.socket), try RouterClient(daemon.socket, as: Self.userID))
        for monitor in [monitors.0, monitors.1] {
            try monitor.send("Monitor", ["values": .bool(true)], mode: .more)
            _ = try monitor.reply()
        }
        _ = try other.open("app:/ping?code=secret")
        _ = try own.open("app:/ping?code=own")
        for url in [nil, "app:/ping?code=own"] as [String?] {
            let event = try monitors.0.reply()["event"]
            expect(event?["url"]?.text, equals: url)
            expect(event?["answer"]?.text, equals: url.map { _ in "xcallback://x-callback-url/success?pong=1" })
        }
        expect(try monitors.1.reply()["event"]?["url"]?.text, equals: "app:/ping?code=secret")
    }

    /// This test fails until a new method is covered.
    @Test func allMethodsAreTried() throws {
        let methods = try RouterClient(daemon.socket).interface().methods.map(\.name)
        // ProgressTests has those of Cancel.
        let others = ["Open", "Cancel", "Explain", "Routes", "Status", "Respond", "Retire"]
        #expect(Set(methods) == Set(Self.refused.map(\.method) + others))
    }
}
