import Glibc
import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting

/// A served router, from before the daemon's start until the router stops.
@Suite(.timeLimit(.minutes(10)))
struct ServingLifeTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/:action", public: true, deliver: app, wait: 10m, timeout: 1h }
        """

    private static let otherConfiguration = """
        schemes: [app]
        routes:
          - { route: "app:/:action", respond: {} }
        """

    private static func router(_ name: String = "app") throws -> Router {
        try Router(scheme: "app") { router in router.route("/name") { (_: Request) in name } }
    }

    /// The observed states, in order.
    private static func states() -> (
        stream: AsyncStream<Router.ServingState>, observe: @Sendable (Router.ServingState) -> Void
    ) {
        let (stream, continuation) = AsyncStream<Router.ServingState>.makeStream()
        return (stream, { continuation.yield($0) })
    }

    /// Returns the number of waiting requests.
    private static func requestCount(_ client: Client) async throws -> Int? {
        try await client.status().limits.first { $0.name == "requests" }?.used
    }

    @Test func aDaemonThatIsNotThereYetIsWaitedFor() async throws {
        let directory = try TemporaryDirectory()
        let client = Client(socket: directory.path(of: "socket"))
        let (states, observe) = Self.states()
        let serving = Task { try await Self.router().serve(as: "app", through: client, observing: observe) }
        var iterator = states.makeAsyncIterator()
        guard case .waiting(let error)? = await iterator.next() else { throw TestFailure("it does not wait") }
        #expect(error.reason == .unreachable)
        let daemon = try RunningDaemon(starting: Self.configuration, in: directory)
        try daemon.waitUntilReady()
        expect(await iterator.next(), equals: .serving)
        expect(try await client.open("app:/name").response, equals: .success(["result": "app"]))
        serving.cancel()
        try await serving.value
        expect(try daemon.stop(), equals: 0)
    }

    @Test func aNameThatIsGoneIsWaitedFor() async throws {
        let daemon = try RunningDaemon(Self.otherConfiguration)
        let client = Client(socket: daemon.socket)
        let (states, observe) = Self.states()
        let serving = Task { try await Self.router().serve(as: "app", through: client, observing: observe) }
        var iterator = states.makeAsyncIterator()
        for _ in 0..<2 {
            guard case .waiting(let error)? = await iterator.next() else { throw TestFailure("it does not wait") }
            #expect(error.reason == .unknownName)
            try daemon.reload(Self.configuration)
            expect(await iterator.next(), equals: .serving)
            expect(try await client.open("app:/name").response, equals: .success(["result": "app"]))
            try daemon.reload(Self.otherConfiguration)
        }
        serving.cancel()
        expect(try daemon.stop(), equals: 0)
    }

    @Test func oneThatStopsAnswersWhatItHasAndGetsNothingMore() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket, limit: 64)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let (allowed, allow) = AsyncStream<Void>.makeStream()
        let first = try Router(scheme: "app") { router in
            router.route("/slow") {
                hasBegun.yield()
                for await _ in allowed { break }
                try Task.checkCancellation()
                return "first"
            }
        }
        let serving = Task { try await first.serve(as: "app", through: client, concurrently: 1) }
        let slow = Task { try await client.open("app:/slow").response }
        for await _ in begun { break }
        // These wait for the only receiver, and then for the next one.
        let others = (0..<8).map { _ in Task { try await client.open("app:/name").response } }
        try await suspendUntil("all requests wait") { try await Self.requestCount(client) == 9 }
        serving.cancel()
        let second = Task { try await Self.router("second").serve(as: "app", through: client) }
        for other in others { expect(try await other.value, equals: .success(["result": "second"])) }
        allow.yield()
        expect(try await slow.value, equals: .success(["result": "first"]))
        try await serving.value
        second.cancel()
        try await second.value
        expect(try daemon.stop(), equals: 0)
    }

    @Test(.serialized, arguments: [(Router.EndingSignal.sigterm, SIGTERM), (.sigint, SIGINT)])
    @MainActor func onASignalItAnswersWhatItHas(signal: Router.EndingSignal, number: Int32) async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let (allowed, allow) = AsyncStream<Void>.makeStream()
        let (states, observe) = Self.states()
        let router = try Router(scheme: "app") { router in
            router.route("/slow") {
                hasBegun.yield()
                for await _ in allowed { break }
                try Task.checkCancellation()
                return "done"
            }
        }
        let serving = Task {
            async let other: Void = router.serve(
                as: "app", through: client, endingOn: signal, signal, observing: observe)
            try await router.serve(as: "app", through: client, endingOn: signal, observing: observe)
            try await other
        }
        for await _ in states.prefix(2) {}
        let slow = Task { try await client.open("app:/slow").response }
        for await _ in begun { break }
        var action = sigaction()
        sigaction(number, nil, &action)
        // Without a handler, it would end this process.
        let isAwaited = action.__sigaction_handler.sa_handler != nil
        #expect(isAwaited, "nobody waits for signal \(number)")
        if isAwaited { kill(getpid(), number) } else { serving.cancel() }
        allow.yield()
        try await serving.value
        expect(try await slow.value, equals: .success(["result": "done"]))
        // It does what it does by default again.
        sigaction(number, nil, &action)
        #expect(action.__sigaction_handler.sa_handler == nil)
    }

    @Test func programsTakeTurnsWithoutAnErrorThatACallerSees() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket, limit: 64)
        var serving = Task { try await Self.router().serve(as: "app", through: client) }
        let calls = Task {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var count = 0
                        while count < 250 {
                            let response = try await client.open("app:/name").response
                            #expect(response == .success(["result": "app"]))
                            count += 1
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        for _ in 0..<20 {
            let next = Task { try await Self.router().serve(as: "app", through: client) }
            serving.cancel()
            try await serving.value
            serving = next
        }
        expect(try await calls.value, equals: 8 * 250)
        serving.cancel()
        expect(try daemon.stop(), equals: 0)
    }

    @Test func theConfigurationDeclaresTheRoutesOfARouterWithTheirTypes() async throws {
        let router = try Router(scheme: "app") { router in
            router.route("/notes/:id") { (note: [String: [String]]) in note }
        }
        let daemon = try RunningDaemon(
            """
            schemes: [app]
            routes:
              - { route: "app:/notes/:id", deliver: notes, wait: 10m, input: { id: int, tags: { type: list, of: string } } }
            """)
        let client = Client(socket: daemon.socket)
        let serving = Task { try await router.serve(as: "notes", through: client) }
        let response = try await client.open("app:/notes/7?tags=a,b&title=c,d").response
        guard case .success(let items) = response else { throw TestFailure("\(response)") }
        #expect(Set(items.map { "\($0.name)=\($0.value ?? "")" }) == ["id=7", "tags=a", "tags=b", "title=c,d"])
        serving.cancel()
        expect(try daemon.stop(), equals: 0)
    }
}
