import Glibc
import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting

/// The streams of a client, with a daemon that says what the test wants.
@Suite(.timeLimit(.minutes(10)))
struct ClientStreamTests {
    private static let begun = #"{"continues":true,"parameters":{}}"#

    private static let stopping = #"{"error":"org.xcallback.Router.Stopping"}"#

    private static func published(_ text: String) -> String {
        #"{"continues":true,"parameters":{"event":{"topic":"t","items":[{"name":"k","value":"\#(text)"}]}}}"#
    }

    private static func delivered(_ id: String) -> String {
        #"{"continues":true,"parameters":{"request":{"id":"\#(id)","url":"n:/a?k=1","route":"n:/:a","action":"/a","query":"k=1","#
            + #""items":[{"name":"k","value":"1"}],"parameters":{"k":"1"},"origin":"desktop","#
            + #""peer":{"uid":1,"gid":2,"pid":3},"data":{},"callbacks":{},"limit":29.5}}}"#
    }

    @Test func aReceiverGoesOnWithTheNextDaemon() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        var daemon = try FakeDaemon(path) { number, message in
            #expect(message == #"{"method":"org.xcallback.Router.Receive","more":true,"parameters":{"name":"me"}}"#)
            // The last reply of a daemon that stops; it does not answer others.
            return number == 0 ? [Self.begun, Self.delivered("1"), Self.stopping] : nil
        }
        let deliveries = try await Client(socket: path).deliveries(receivedAs: "me")
        var requests = deliveries.compactMap(\.request).makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.id == "1")
        #expect(request.url == "n:/a?k=1")
        #expect(request.parameters == ["k": "1"])
        #expect(request.source == nil)
        #expect(request.origin == .desktop)
        #expect(request.peer == Peer(userID: 1, groupID: 2, processID: 3))
        unlink(path)
        daemon = try FakeDaemon(path) { _, _ in [Self.begun, Self.delivered("2")] }
        expect(try await requests.next()?.id, equals: "2")
        _ = daemon
    }

    @Test func manyRequestsAtATimeNeedFewConnections() async throws {
        let directory = try TemporaryDirectory()
        let (answered, hasAnswered) = AsyncStream<Void>.makeStream()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, message in
            if message.contains("Receive") {
                #expect(message.contains(#""prefetch":64,"nested":true,"key":"#))
                return [Self.begun] + (0..<64).map { Self.delivered("\($0)") }
            }
            if message.contains("Retire") { return nil }
            hasAnswered.yield()
            return ["{}"]
        }
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let (allowed, allow) = AsyncStream<Void>.makeStream()
        let released = Task { for await _ in allowed { break } }
        let router = try Router(scheme: "n") { router in
            router.route("/:a") {
                hasBegun.yield()
                await released.value
            }
        }
        let client = Client(socket: directory.path(of: "socket"))
        let serving = Task { try await router.serve(as: "me", through: client, concurrently: 64) }
        var (beginnings, answers) = (begun.makeAsyncIterator(), answered.makeAsyncIterator())
        for _ in 0..<64 { await beginnings.next() }
        allow.yield()
        for _ in 0..<64 { await answers.next() }
        // One for the requests, one for the responses.
        #expect(daemon.clientCount == 2)
        serving.cancel()
        try await serving.value
    }

    private static let unknownName = #"{"error":"org.xcallback.Router.UnknownName","parameters":{"name":"me"}}"#

    @Test func aReceiverWaitsForANameThatIsGone() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { number, _ in
            switch number {
            case 0: [Self.begun, Self.delivered("1"), Self.unknownName]
            case 1: [Self.unknownName]
            case 2: [#"{"error":"org.xcallback.Router.Unavailable","parameters":{"message":"Faults."}}"#]
            case 3: [#"{"error":"org.xcallback.Router.LimitReached","parameters":{"name":"streams","limit":4}}"#]
            default: [Self.begun, Self.delivered("2")]
            }
        }
        let client = Client(socket: directory.path(of: "socket"))
        var requests = try await client.deliveries(receivedAs: "me").compactMap(\.request).makeAsyncIterator()
        expect(try await requests.next()?.id, equals: "1")
        expect(try await requests.next()?.id, equals: "2")
        #expect(daemon.clientCount == 5)
    }

    @Test func theEventsGoOnWithTheNextDaemon() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in
            [
                Self.begun,
                #"{"continues":true,"parameters":{"event":{"kind":"answer","time":1.5,"by":"daemon","code":404}}}"#,
                "{}",
            ]
        }
        var events = try await Client(socket: directory.path(of: "socket")).events().makeAsyncIterator()
        let event = try #require(try await events.next())
        #expect(event.kind == .answer)
        #expect(event.time == .milliseconds(1_500))
        #expect(event.author == .daemon)
        #expect(event.code == 404)
        let away = try #require(try await events.next())
        #expect(away.kind == .missed)
        #expect(away.missedCount == nil)
        expect(try await events.next(), equals: event)
        _ = daemon
    }

    @Test func nothingIsReadThatNobodyTakes() async throws {
        let directory = try TemporaryDirectory()
        let (full, isFull) = AsyncStream<Int>.makeStream()
        let count = 20_000
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            var received: [UInt8] = []
            _ = try socket.receive(into: &received)
            try socket.send(Array(Self.begun.utf8) + [0])
            let events = (0..<count).flatMap { number -> [UInt8] in Array(Self.published("\(number)").utf8) + [0] }
            let sentCount = try socket.sendUntilFull(events)
            isFull.yield(sentCount)
            try socket.send(Array(events[sentCount...]))
        }
        var events = try await Client(socket: directory.path(of: "socket")).publications(of: ["t"]).makeAsyncIterator()
        for await sentCount in full {
            #expect(sentCount < count * Self.published("").utf8.count / 2)
            break
        }
        var number = 0
        while number < count, try await events.next() == .published(topic: "t", items: ["k": "\(number)"]) {
            number += 1
        }
        #expect(number == count)
        _ = server
    }

    @Test func aStreamThatIsLetGoClosesItsConnection() async throws {
        let directory = try TemporaryDirectory()
        let (ended, hasEnded) = AsyncStream<Void>.makeStream()
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            var received: [UInt8] = []
            _ = try socket.receive(into: &received)
            try socket.send(Array(Self.begun.utf8) + [0])
            while try socket.receive(into: &received) {}
            hasEnded.yield()
        }
        _ = try await Client(socket: directory.path(of: "socket")).events()
        for await _ in ended { break }
        _ = server
    }
}

extension Client.ReceiverEvent {
    /// The request; nil for other events.
    fileprivate var request: Client.ReceivedRequest? {
        if case .request(let request) = self { request } else { nil }
    }
}
