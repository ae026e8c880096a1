import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// Library routers that answer the daemon's deliveries, and applications that send requests through the daemon.
struct ServedRouterTests {
    static let configuration = """
        schemes: [ping, pong]
        limits: { requests: 2048, handler-time: 5m }
        routes:
          - { route: "ping:/:action", deliver: ping, wait: 60s, input: { count: { type: int, required: false } } }
          - { route: "pong:/:action/*rest", deliver: pong, wait: 60s }
          - { route: "ping:/moved/:action", redirect: "ping:/{action}" }
        """

    struct Count: Codable, Equatable, Sendable {
        var count: Int
        var words: [String]
    }

    struct Add: Action {
        typealias Input = Count
        typealias Output = Count
        var path: String
    }

    struct Refuse: Action {}
    struct Cancel: Action {}

    struct Application: App {
        let scheme: String
        let client: Client
        var source: String? { "Tests" }
        var opener: any Opener { client }
    }

    static func router(_ scheme: String) throws -> Router {
        try Router(scheme: scheme) { router in
            router.route("/add{/*rest}") { (count: Count) in
                Count(count: count.count + 1, words: count.words + [scheme])
            }
            router.route("/refuse") { throw CallbackError(.init(rawValue: 4711), "Not today.") }
            router.route("/cancel") { throw ActionCancelled() }
            router.route("/source") { (request: Request) in
                .success(["source": request.source, "path": request.url.segments.joined(separator: "|")])
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func applicationsCallEachOtherThroughTheDaemon() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        try await Self.whileServing(daemon) { client in
            let ping = Application(scheme: "ping", client: client)
            let pong = Application(scheme: "pong", client: client)
            try await withThrowingTaskGroup { group in
                for number in 0..<500 {
                    let words = ["\(number)", "a,b", "", "é&=%"]
                    group.addTask {
                        let output = try await ping.run(Add(path: "add"), with: Count(count: number, words: words))
                        #expect(output == Count(count: number + 1, words: words + ["ping"]))
                    }
                    group.addTask {
                        let output = try await pong.run(Add(path: "add/x/y"), with: Count(count: number, words: words))
                        #expect(output == Count(count: number + 1, words: words + ["pong"]))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aHandlerIsCancelledWhoseCallerHasLeft() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let (work, endWork) = AsyncStream<Void>.makeStream()
        let (cancelled, isCancelled) = AsyncStream<Bool>.makeStream()
        let router = try Router(scheme: "ping") { router in
            router.route("/wait") {
                hasBegun.yield()
                for await _ in work {}
                isCancelled.yield(Task.isCancelled)
            }
            router.route("/ping") { (_: Request) in .success(["pong": "1"]) }
        }
        let client = Client(socket: daemon.socket, limit: 64)
        try await withThrowingTaskGroup { group in
            group.addTask { try await router.serve(as: "ping", through: client, concurrently: 1) }
            do {
                let caller = try daemon.connect()
                try caller.send("ping:/wait\n")
                for await _ in begun { break }
            }
            defer { endWork.finish() }
            let isTold = try await withTimeout(.seconds(60)) { await cancelled.first { _ in true } }
            #expect(isTold == true)
            // Only one handler runs at a time.
            expect(try await client.open("ping:/ping").response, equals: .success(["pong": "1"]))
            group.cancelAll()
        }
    }

    /// Each handler calls an action of its own application, which calls another one.
    @Test(.timeLimit(.minutes(10)))
    func anApplicationThatCallsItselfDoesNotWaitForItself() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let own = Client(socket: daemon.socket)
        let callers = Client(socket: daemon.socket, limit: 64)
        struct Fall: Action {
            typealias Input = Int
            typealias Output = Int
        }
        let router = try Router(scheme: "ping") { router in
            router.answer(Fall()) { depth in
                guard depth > 0 else { return 0 }
                return try await Application(scheme: "ping", client: own).run(Fall(), with: depth - 1) + 1
            }
        }
        try await withThrowingTaskGroup { group in
            group.addTask { try await router.serve(as: "ping", through: own, concurrently: 4) }
            try await withThrowingTaskGroup { calls in
                for _ in 0..<40 {
                    calls.addTask {
                        let depth = try await Application(scheme: "ping", client: callers).run(Fall(), with: 3)
                        #expect(depth == 3)
                    }
                }
                try await calls.waitForAll()
            }
            group.cancelAll()
        }
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test(.timeLimit(.minutes(10)))
    func aHandlerThatCallsItsApplicationManyTimesHasFewCallsAtATime() async throws {
        let daemon = try RunningDaemon(
            "schemes: [ping]\nroutes: [{ route: 'ping:/:action', deliver: ping, wait: 60s, timeout: 600s }]\n")
        let own = Client(socket: daemon.socket, limit: 1)
        let router = try Router(scheme: "ping") { router in
            router.route("/many") {
                await withTaskGroup { group in
                    for _ in 0..<40 { group.addTask { _ = try? await own.open("ping:/one") } }
                }
            }
            router.route("/one") {}
        }
        let serving = Task { try await router.serve(as: "ping", through: own) }
        expect(try await own.open("ping:/many").response, equals: .success([:]))
        // Besides those of the handler: its own request, receiving, responding, and this one.
        let connections = try RouterClient(daemon.socket).call("Status")["total"]?["connections"]?.integer
        #expect(connections ?? .max <= 20)
        serving.cancel()
        try await serving.value
    }

    @Test(.timeLimit(.minutes(10)))
    func aHandlerReportsItsProgress() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let (progress, reported) = AsyncStream<RequestProgress>.makeStream()
        let router = try Router(scheme: "ping") { router in
            router.route("/copy") { request in
                for number in 1...3 {
                    // Longer than the pause between two reports.
                    if number == 3 { try await Task.sleep(for: .milliseconds(600)) }
                    request.progress("disk \(number)", done: number, of: 3)
                    var last: RequestProgress?
                    for await next in progress {
                        last = next
                        break
                    }
                    guard last?.done == number else { return .error(.internalFailure) }
                }
                request.progress("too far", done: 4, of: 3)
                return .success([:])
            }
        }
        let client = Client(socket: daemon.socket)
        try await withThrowingTaskGroup { group in
            group.addTask { try await router.serve(as: "ping", through: client) }
            let answer = try await client.open("ping:/copy") { reported.yield($0) }
            #expect(answer.response == .success([:]))
            group.cancelAll()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func servingFailsIfItsStreamIsRefused() async throws {
        let daemon = try RunningDaemon(Self.configuration.replacing("requests: 2048", with: "streams: 1"))
        let client = Client(socket: daemon.socket)
        let other = try await client.events()
        defer { withExtendedLifetime(other) {} }
        let error = await #expect(throws: ClientError.self) {
            try await Self.router("ping").serve(as: "ping", through: client)
        }
        #expect(error?.reason == .limitReached)
    }

    @Test(.timeLimit(.minutes(10)))
    func whatAHandlerThrowsIsWhatTheCallerCatches() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        try await Self.whileServing(daemon) { client in
            let ping = Application(scheme: "ping", client: client)
            await #expect(throws: CallbackError(.init(rawValue: 4711), "Not today.")) { try await ping.run(Refuse()) }
            await #expect(throws: ActionCancelled()) { try await ping.run(Cancel()) }
            let response = try await client.open("ping:/source?x-source=a%20b&x-success=ping:/s").response
            #expect(response == .success(["source": "a b", "path": "source"]))
            let moved = try await client.open("ping:/moved/source").response
            #expect(moved == .success(["source": nil, "path": "source"]))
            let none = try await client.open("ping:/nothing").response
            #expect(none == .error(CallbackError(.unknownAction, "No route answers this action.")))
            for (path, author) in [("nothing", CallbackError.Author.application), ("a/b", .daemon)] {
                let error = await #expect(throws: CallbackError.self) {
                    try await ping.run(Add(path: path), with: Count(count: 1, words: []))
                }
                #expect(error?.code == .unknownAction)
                #expect(error?.author == author)
            }
        }
    }

    /// Calls a function while both routers are served, and then stops them.
    private static func whileServing(
        _ daemon: RunningDaemon, _ body: @Sendable (Client) async throws -> Void
    ) async throws {
        let client = Client(socket: daemon.socket, limit: 64)
        try await withThrowingTaskGroup { group in
            for name in ["ping", "pong"] {
                let router = try router(name)
                group.addTask { try await router.serve(as: name, through: client) }
            }
            try await body(client)
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
