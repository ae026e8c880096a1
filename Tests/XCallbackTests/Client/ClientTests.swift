import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting

/// The calls of a client, with a daemon that says what the test wants.
@Suite(.timeLimit(.minutes(10)))
struct ClientTests {
    private static let success =
        #"{"parameters":{"outcome":"success","answer":"app:/ok?a=1","items":[{"name":"a","value":"1"},"#
        + #"{"name":"b"}],"by":"handler","open":"app:/ok?a=1"}}"#

    @Test func aURLIsAskedForWithWhatIsSaidOfIt() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in [Self.success] }
        let client = Client(socket: directory.path(of: "socket"))
        let answer = try await client.open("n:/\"a")
        #expect(answer.url == "app:/ok?a=1")
        #expect(answer.response == .success(["a": "1", "b": nil]))
        #expect(answer.author == .handler)
        #expect(answer.open == "app:/ok?a=1")
        _ = try await client.open("n:/b", from: .desktop, following: true)
        #expect(daemon.clientCount == 1, "a connection serves one call after the other")
        _ = try await client.call("n:/a") { _ in }
        _ = try await client.call("n:/b", within: .milliseconds(2500), readingForm: true) { _ in }
        #expect(
            daemon.messages == [
                #"{"method":"org.xcallback.Router.Open","parameters":{"url":"n:/\"a"}}"#,
                #"{"method":"org.xcallback.Router.Open","parameters":{"url":"n:/b","origin":"desktop","follow":true}}"#,
                #"{"method":"org.xcallback.Router.Call","more":true,"parameters":{"url":"n:/a"}}"#,
                #"{"method":"org.xcallback.Router.Call","more":true,"parameters":{"url":"n:/b","timeout":2.5,"form":true}}"#,
            ])
    }

    /// A call that has failed leaves its place to the next one.
    @Test(.timeLimit(.minutes(10))) func anErrorDoesNotKeepAConnection() async throws {
        let client = Client(socket: "/nonexistent/socket", limit: 1)
        for _ in 0..<2 {
            await #expect(throws: ClientError.self) { try await client.open("n:/a") }
            await #expect(throws: ClientError.self) { try await client.call("n:/a") { _ in } }
        }
    }

    static let answers: [(reply: String, response: Response)] = [
        (
            #""outcome":"error","answer":"a:/e","items":[],"code":404,"message":"No.","by":"daemon""#,
            .error(CallbackError(.unknownAction, "No."))
        ),
        (#""outcome":"cancel","answer":"a:/c","items":[],"by":"handler""#, .cancel),
        (#""outcome":"success","answer":"a:/s","items":[],"code":null,"by":"handler""#, .success([:])),
    ]

    @Test(arguments: answers)
    func anAnswerSaysWhatTheRequestEndedIn(reply: String, response: Response) async throws {
        let answer = try await Self.result(of: "{\"parameters\":{\(reply)}}") { try await $0.open("n:/a") }
        #expect(answer.response == response)
    }

    @Test func aRedirectIsItsURL() async throws {
        let reply = #"{"parameters":{"outcome":"redirect","answer":"app:/there?a=1","items":[],"by":"handler"}}"#
        let answer = try await Self.result(of: reply) { try await $0.open("n:/a") }
        expect(answer.response, equals: try .redirect(Callback("app:/there?a=1")))
    }

    static let errors: [(reply: String, reason: ClientError.Reason)] = [
        (#"{"error":"org.varlink.service.PermissionDenied"}"#, .denied),
        (#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"url"}}"#, .invalidCall),
        (#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"x"}}"#, .incompatible),
        (#"{"error":"org.xcallback.Router.LimitReached","parameters":{"name":"a","limit":4}}"#, .limitReached),
        (#"{"error":"org.xcallback.Router.Unavailable","parameters":{"message":"a"}}"#, .unavailable),
        (#"{"error":"org.xcallback.Router.UnknownName","parameters":{"name":"a"}}"#, .unknownName),
        (#"{"error":"org.xcallback.Router.UnknownTopic","parameters":{"topic":"a"}}"#, .unknownTopic),
        (#"{"error":"org.xcallback.Router.UnknownRequest"}"#, .unknownRequest),
        (#"{"error":"org.xcallback.Router.AlreadyAnswered"}"#, .alreadyAnswered),
        (#"{"error":"org.xcallback.Router.TooLate"}"#, .tooLate),
        (#"{"error":"org.xcallback.Router.Stopping"}"#, .disconnected),
        (#"{"error":"org.xcallback.Router.NoSession"}"#, .noSession),
        (#"{"error":"org.xcallback.Router.Other"}"#, .incompatible),
        (#"{"error":"org.xcallback.Router.NotLoaded","parameters":{"faults":[]}}"#, .notLoaded([])),
        (#"{"parameters":{"outcome":"success"}}"#, .incompatible),
        (#"{"parameters":{"outcome":"redirect","answer":"no URL","items":[],"by":"daemon"}}"#, .incompatible),
        (#"{"parameters":{},"continues":true}"#, .incompatible),
        ("HTTP/1.1 400 Bad Request", .incompatible),
    ]

    @Test(arguments: errors)
    func anErrorHasItsReason(reply: String, reason: ClientError.Reason) async throws {
        let error = await #expect(throws: ClientError.self) {
            try await Self.result(of: reply) { try await $0.open("n:/a") }
        }
        #expect(error?.reason == reason, "\(String(describing: error))")
    }

    @Test func aSocketThatIsNotThereIsReported() async throws {
        let directory = try TemporaryDirectory()
        let error = await #expect(throws: ClientError.self) {
            try await Client(socket: directory.path(of: "none")).status()
        }
        #expect(error?.reason == .unreachable)
        #expect(error?.description.contains("none': No such file or directory\nstart it: ") == true)
    }

    @Test func aCallThatNobodyHasReadIsMadeAgain() async throws {
        let directory = try TemporaryDirectory()
        let messages = Mutex<[String]>([])
        let count = Atomic(0)
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            try socket.waitForInput()
            // What is unread when a server closes is told to its client.
            if number < 3 { return }
            var received: [UInt8] = []
            while try socket.receive(into: &received) {
                messages.withLock { $0.append(String(decoding: received, as: UTF8.self)) }
                try socket.send(Array(Self.success.utf8) + [0])
            }
        }
        expect(try await Client(socket: directory.path(of: "socket")).open("n:/a").author, equals: .handler)
        #expect(messages.withLock { $0.count } == 1)
        #expect(count.load(ordering: .relaxed) == 3)
        _ = server
    }

    @Test func aConnectionThatHasEndedSinceTheLastCallIsReplaced() async throws {
        let directory = try TemporaryDirectory()
        let count = Mutex(0)
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            count.withLock { $0 += 1 }
            var received: [UInt8] = []
            _ = try socket.receive(into: &received)
            try socket.send(Array(Self.success.utf8) + [0])
        }
        let client = Client(socket: directory.path(of: "socket"))
        for _ in 1...3 { expect(try await client.open("n:/a").author, equals: .handler) }
        #expect(count.withLock { $0 } == 3)
        _ = server
    }

    @Test func aCallThatMayHaveBeenReadIsMadeOnce() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in nil }
        let client = Client(socket: directory.path(of: "socket"))
        let error = await #expect(throws: ClientError.self) { try await client.open("n:/a") }
        #expect(error?.reason == .disconnected)
        #expect(error?.description.contains("it closed the connection") == true)
        #expect(daemon.clientCount == 1)
    }

    @Test func callsAtTheSameTimeHaveConnectionsOfTheirOwnUpToALimit() async throws {
        let directory = try TemporaryDirectory()
        let arrivals = Atomic(0)
        let areThree = DispatchSemaphore(value: 0)
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in
            if arrivals.wrappingAdd(1, ordering: .relaxed).newValue == 3 { areThree.signal() }
            areThree.wait()
            areThree.signal()
            usleep(1000)
            return [Self.success]
        }
        let client = Client(socket: directory.path(of: "socket"), limit: 3)
        // Calls that have waited are over when others begin.
        for _ in 0..<2 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<10 { group.addTask { _ = try await client.open("n:/a") } }
                try await group.waitForAll()
            }
        }
        #expect(daemon.clientCount == 3)
    }

    @Test func aCallAfterOneThatWasTooLongHasAnotherConnection() async throws {
        let directory = try TemporaryDirectory()
        let refusal =
            #"{"error":"org.xcallback.Router.LimitReached","parameters":{"name":"message","used":5,"limit":4}}"#
        let daemon = try FakeDaemon(directory.path(of: "socket")) { number, _ in
            [number == 0 ? refusal : Self.success]
        }
        let client = Client(socket: directory.path(of: "socket"))
        let error = await #expect(throws: ClientError.self) { try await client.open("n:/a") }
        #expect(error?.reason == .tooLong(limit: 4))
        _ = try await client.open("n:/a")
        #expect(daemon.clientCount == 2, "the daemon closes the first connection, sooner or later")
    }

    @Test func aCallThatIsCancelledClosesItsConnection() async throws {
        let directory = try TemporaryDirectory()
        let (asked, hasAsked) = AsyncStream<Void>.makeStream()
        let (ended, hasEnded) = AsyncStream<Void>.makeStream()
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            var received: [UInt8] = []
            while try socket.receive(into: &received) { hasAsked.yield() }
            hasEnded.yield()
        }
        let client = Client(socket: directory.path(of: "socket"))
        let task = Task { try await client.open("n:/a") }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in ended { break }
        _ = server
    }

    @Test func aCallThatWaitsForAConnectionIsCancelled() async throws {
        let directory = try TemporaryDirectory()
        let (asked, hasAsked) = AsyncStream<Void>.makeStream()
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            var received: [UInt8] = []
            while try socket.receive(into: &received) { hasAsked.yield() }
        }
        let client = Client(socket: directory.path(of: "socket"), limit: 1)
        let first = Task { try await client.open("n:/a") }
        for await _ in asked { break }
        // It runs until it waits.
        let second = Task.immediate { try await client.open("n:/b") }
        second.cancel()
        await #expect(throws: CancellationError.self) {
            try await withTimeout(.seconds(60)) { try await second.value }
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        _ = server
    }

    @Test func aTaskThatWasCancelledBeforeItsCallHoldsNoConnection() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in [Self.success] }
        let client = Client(socket: directory.path(of: "socket"), limit: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.open("n:/a")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(try await withTimeout(.seconds(60)) { try await client.open("n:/b") }.author, equals: .handler)
        #expect(daemon.clientCount == 1)
    }

    @Test func aCallOfAMebibyteIsSentThoughTheDaemonReadsSlowly() async throws {
        let directory = try TemporaryDirectory()
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            var received: [UInt8] = []
            // The first piece is taken before the rest can have been sent: no socket holds so much.
            while received.last != 0, try socket.receive(into: &received) {}
            let text = "{\"parameters\":{\"reached\":\(received.count)}}\0"
            try socket.send(Array(text.utf8))
        }
        let client = Client(socket: directory.path(of: "socket"))
        let text = String(repeating: "a", count: 1 << 20)
        #expect(try await client.publish(["k": text], to: "t") > 1 << 20)
        _ = server
    }

    /// What a client makes of a reply; nil closes the connection.
    private static func result<Value>(
        of reply: String?, _ body: (Client) async throws -> Value
    ) async throws -> Value {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, _ in reply.map { [$0] } }
        defer { _ = daemon }
        return try await body(Client(socket: directory.path(of: "socket")))
    }
}
