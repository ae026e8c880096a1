import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackTesting

struct AppTests {
    /// An application whose properties have the types that one writes without thinking.
    private struct Plain: App {
        struct Show: Action {
            let path = "show-it"
        }

        let scheme = "plain"
        let source = "Tests"
        let timeout = Duration.seconds(600)
        let opener: Router
    }

    @Test func propertiesCountWithTheTypesThatAreDeclared() async throws {
        let (requests, requested) = AsyncStream<String>.makeStream()
        let router = try Router(scheme: "plain") { router in
            router.route("/show-it") { (request: Request) in _ = requested.yield(request.source ?? "nobody") }
        }
        try await Plain(opener: router).run(Plain.Show())
        expect(await requests.first { _ in true }, equals: "Tests")
    }

    struct GrabURL: Action {}
    struct AddText2: Action {}
    struct URLGrabber: Action {}
    struct HTTP2: Action {}
    struct Generic<Value: Sendable>: Action {}

    @Test func namesKeepAcronymsAndDigitsWhole() {
        #expect(GrabURL().path == "grab-url")
        #expect(AddText2().path == "add-text2")
        #expect(URLGrabber().path == "url-grabber")
        #expect(HTTP2().path == "http2")
        #expect(Generic<Int>().path == "generic")
    }

    struct Append: Action {
        typealias Input = [String: Int]
        typealias Output = Void
        var path: String { "notes/a b/append" }
    }

    struct Obsidian: App {
        var host: String { "vault one" }
        var source: String? { "Tests" }
        var opener: any Opener
    }

    @Test func hostPathAndSourceAreInTheURL() throws {
        let app = Obsidian(opener: OpenerFunction { _ in .cancel })
        expect(
            try app.url(for: Append(), with: ["a": 1]).received,
            equals: "obsidian://vault%20one/notes/a%20b/append?a=1&x-source=Tests")
    }

    @Test func aPathThatIsNoneIsAnError() async {
        struct Bad: Action { var path: String { "a/../b" } }
        let app = Obsidian(opener: OpenerFunction { _ in .success([:]) })
        await #expect(throws: ActionURLError.self) { try await app.run(Bad()) }
    }

    struct Weekday: Action {
        typealias Input = Void
        typealias Output = String
    }

    @Test func aCommaInAnOutputIsData() async throws {
        struct Tags: Action { typealias Output = [String] }
        let app = Obsidian(opener: OpenerFunction { _ in .success(["result": "a,b"]) })
        expect(try await app.run(Tags()), equals: ["a,b"])
    }

    struct Endless: Error {}

    @Test(.timeLimit(.minutes(10)))
    func whoeverDoesNotAnswerIsNotWaitedForTooLong() async throws {
        // It does not even end when it is cancelled.
        let app = Obsidian(
            opener: OpenerFunction { _ in
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                return .cancel
            })
        let error = await #expect(throws: CallbackError.self) {
            try await app.run(Weekday(), timeout: .milliseconds(10))
        }
        #expect(error?.code == .timedOut)
    }

    @Test(.timeLimit(.minutes(10)))
    func theFormWithAFunctionHasATimeout() async throws {
        let app = Obsidian(
            opener: OpenerFunction { _ in
                try await Task.sleep(for: .seconds(600))
                return .cancel
            })
        let response = await withCheckedContinuation { continuation in
            app.run(action: Weekday(), timeout: .milliseconds(10)) { continuation.resume(returning: $0) }
        }
        guard case .error(let error) = response else { throw TestFailure("\(response)") }
        #expect(error.code == .timedOut)
    }

    @Test(.timeLimit(.minutes(10)))
    func theTimeoutOfACallReplacesThatOfTheApplication() async throws {
        struct Hasty: App { var timeout: Duration { .milliseconds(1) } }
        let opener = OpenerFunction { _ in
            try await Task.sleep(for: .milliseconds(100))
            return .success(["result": "Monday"])
        }
        expect(try await Hasty().run(Weekday(), timeout: .seconds(600), through: opener), equals: "Monday")
    }

    @Test(.timeLimit(.minutes(10)))
    func cancellingTheTaskEndsTheCall() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        let app = Obsidian(
            opener: OpenerFunction { _ in
                beginning.yield()
                try? await Task.sleep(for: .seconds(600))
                ending.yield()
                return .cancel
            })
        let task = Task { try await app.run(Weekday()) }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in ended { break }
        let second = Task { try await app.run(Weekday()) }
        second.cancel()
        await #expect(throws: (any Error).self) { try await second.value }
    }

    @Test func whatTheOpenerThrowsIsThrown() async {
        let app = Obsidian(opener: OpenerFunction { _ in throw Endless() })
        await #expect(throws: Endless.self) { try await app.run(Weekday()) }
        let response = await ActionResponse { try await app.run(Weekday()) }
        #expect(response == .error(CallbackError(.internalFailure, "Endless()")))
    }

    @Test func anAnswerOfAnotherApplicationIsAnError() async {
        let app = Obsidian(opener: OpenerFunction { _ in .redirect(try Callback("other:/a")) })
        let error = await #expect(throws: CallbackError.self) { try await app.run(Weekday()) }
        #expect(error?.code == .unavailable)
    }

    @Test func aResponseGivesItsOutputOrThrows() throws {
        expect(try ActionResponse.success(1).get(), equals: 1)
        #expect(throws: ActionCancelled.self) { try ActionResponse<Int>.cancel.get() }
        #expect(throws: CallbackError.self) { try ActionResponse<Int>.error(.internalFailure).get() }
    }
}
