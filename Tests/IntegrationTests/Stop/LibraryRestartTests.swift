import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// The effect of a restart on programs that use the library to send or answer requests: none.
@Suite(.timeLimit(.minutes(10)))
struct LibraryRestartTests {
    private static let configuration = """
        schemes: [n]
        limits: { drain-time: 20s }
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
          - { route: n:/up, deliver: upper, wait: 10m, timeout: 1h }
          - { route: n:/said, publish: n.said }
        """

    @Test func receiversAndSubscribersAreThereAgain() async throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: true)
        var daemon = try site.start()
        let client = Client(socket: site.path)
        let router = try Router(scheme: "n") { router in
            router.route("/up") { (request: Request) in .success(["v": request.parameters["v"]?.uppercased()]) }
        }
        let serving = Task { try await router.serve(as: "upper", through: client) }
        var publications = try await client.publications(of: ["n.said"]).makeAsyncIterator()
        for text in ["a", "b", "c"] {
            expect(try await client.open("n:/up?v=\(text)").response, equals: .success(["v": text.uppercased()]))
            _ = try await client.publish(["v": text], to: "n.said")
            expect(try await publications.next(), equals: .published(topic: "n.said", items: ["v": text]))
            daemon = try site.restart(daemon)
            expect(try await publications.next(), equals: .missed(nil))
        }
        serving.cancel()
        expect(try daemon.stop(), equals: 0)
    }

    @Test func aHandlerIsCancelledWhoseDaemonHasGone() async throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: true)
        let daemon = try site.start()
        let client = Client(socket: site.path)
        let (events, event) = AsyncStream<String>.makeStream()
        let router = try Router(scheme: "n") { router in
            router.route("/up") {
                event.yield("begin")
                defer { event.yield(Task.isCancelled ? "cancelled" : "end") }
                try await Task.sleep(for: .seconds(3600))
            }
        }
        let serving = Task { try await router.serve(as: "upper", through: client, concurrently: 1) }
        let answer = Task { try await client.open("n:/up?v=a") }
        var iterator = events.makeAsyncIterator()
        expect(await iterator.next(), equals: "begin")
        expect(try daemon.stop(), equals: 0)
        expect(
            try await answer.value.response, equals: .error(CallbackError(.unavailable, "The daemon is shutting down."))
        )
        expect(await iterator.next(), equals: "cancelled")
        serving.cancel()
    }

    @Test(arguments: [true, false])
    func tenThousandCallsOfTheLibraryOutliveFiveRestarts(keepsSocket: Bool) async throws {
        let site = try DaemonSite(Self.configuration, keepsSocket: keepsSocket)
        var daemon = try site.start()
        try daemon.waitUntilReady()
        let client = Client(socket: site.path)
        let (answers, answered) = AsyncStream<Void>.makeStream()
        let calls = Task {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for first in 0..<16 {
                    group.addTask {
                        for number in stride(from: first, to: 10_000, by: 16) {
                            let answer = try await client.open("n:/echo?v=\(number)")
                            #expect(answer.response == .success(["v": "\(number)"]))
                            answered.yield()
                        }
                        return 1
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        var iterator = answers.makeAsyncIterator()
        for _ in 0..<5 {
            for _ in 0..<1000 { await iterator.next() }
            daemon = try site.restart(daemon)
        }
        expect(try await calls.value, equals: 16)
        expect(try daemon.stop(), equals: 0)
    }
}
