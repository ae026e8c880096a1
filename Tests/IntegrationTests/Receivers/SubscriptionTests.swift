import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Clients that subscribe to events.
@Suite(.blocking)
struct SubscriptionTests {
    private static let configuration = """
        schemes: [app]
        limits: { connections: 16000, streams: 16000 }
        routes:
          - { route: "app:/saved/:id", publish: saved }
          - { route: "app:/opened", publish: opened, input: { by: string } }
        """

    @Test func whatRoutesAndClientsPublishReachesItsSubscribers() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (both, one, client) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), RouterClient(daemon.socket)
        )
        try both.subscribe("saved", "opened")
        try one.subscribe("opened")
        expect(try client.open("app:/saved/7?a=b&c")["answer"]?.text) { $0?.hasSuffix("success?reached=1") == true }
        expect(try client.open("app:/opened?by=x")["answer"]?.text) { $0?.hasSuffix("success?reached=2") == true }
        // A request that its route rejects is not published.
        expect(try client.open("app:/opened")["code"]?.integer, equals: 422)
        let items: JSONValue = [["name": "q", "value": "é\n"]]
        expect(try client.call("Publish", ["topic": "saved", "items": items])["reached"]?.integer, equals: 1)
        let events = try (0..<3).map { _ in try #require(try both.reply()["event"]) }
        #expect(events.map { $0["topic"]?.text } == ["saved", "opened", "saved"])
        #expect(events[0]["items"]?.elements?.map { $0["name"]?.text } == ["id", "a", "c"])
        #expect(events[2]["items"] == items)
        expect(try one.reply()["event"]?["items"], equals: [["name": "by", "value": "x"]])
    }

    @Test func aTopicThatAReloadRemovesEndsItsSubscriptions() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (left, ended) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        try left.subscribe("saved")
        try ended.subscribe("saved", "opened")
        try daemon.reload(Self.configuration.replacing("publish: opened", with: "publish: shut"))
        #expect(errorName { _ = try ended.reply() } == "org.xcallback.Router.UnknownTopic")
        expect(try RouterClient(daemon.socket).open("app:/saved/7")["answer"]?.text) {
            $0?.hasSuffix("success?reached=1") == true
        }
    }

    @Test func aTopicIsOneOfTheConfiguration() throws {
        let client = try RouterClient(of: RunningDaemon(Self.configuration))
        #expect(errorName { try client.subscribe("saved", "nothing") } == "org.xcallback.Router.UnknownTopic")
        #expect(errorName { try client.subscribe() } == "org.varlink.service.InvalidParameter")
        let publication: JSONValue = ["topic": "nothing", "items": []]
        #expect(errorName { _ = try client.call("Publish", publication) } == "org.xcallback.Router.UnknownTopic")
        let reserved: JSONValue = ["topic": "saved", "items": [["name": "x-a", "value": "b"]]]
        #expect(errorName { _ = try client.call("Publish", reserved) } == "org.varlink.service.InvalidParameter")
    }

    /// So many subscribers that an event is sent to them in several turns; some leave meanwhile.
    @Test func eventsForManyComeInTheirOrder() throws {
        let daemon = try RunningDaemon(Self.configuration)
        var subscribers = try (0..<300).map { _ in try RouterClient(daemon.socket) }
        for client in subscribers { try client.subscribe("saved") }
        let publishers = try (0..<2).map { _ in try daemon.connect() }
        // Both are read in one turn, and each event goes to many subscribers.
        try daemon.process.pause()
        for (number, publisher) in publishers.enumerated() {
            try publisher.send((0..<50).map { "app:/saved/\($0)?by=\(number)\n" }.joined())
        }
        subscribers.removeFirst(100)
        daemon.process.send(signal: SIGCONT)
        for publisher in publishers {
            for _ in 0..<50 { expect(try publisher.readLine()) { $0?.contains("reached=") == true } }
        }
        for client in subscribers {
            var next = [0, 0]
            for _ in 0..<100 {
                let items = try #require(try client.reply()["event"]?["items"]?.elements)
                let publisher = try #require(Int(items[1]["value"]?.text ?? ""))
                #expect(items[0]["value"]?.text == "\(next[publisher])")
                next[publisher] += 1
            }
        }
        subscribers = []
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }
}
