import FoundationEssentials
import Synchronization
import Testing
import XCallback

// What the README of Middleman shows, here.

struct Target: App {
    struct DoSomething: Action {
        struct Input: Codable {
            let key: String
            let optional: String?
        }

        struct Output: Codable {
            let something: Int
        }
    }

    var opener: any Opener
}

struct OpenNote: Action {
    struct Input: Codable {
        var title: String
        var excludeTrashed: Bool
    }

    struct Output: Codable {
        var note: String
        var modificationDate: Date
    }
}

struct OpenURL: Action {
    typealias Input = URL
}

struct SomeAction: Action {}

struct Bear: App {
    // What is said here is what holds without it.
    var scheme: String { "bear" }
    var host: String { "x-callback-url" }
    var opener: any Opener
}

extension Bear {
    func openNote(titled title: String, excludeTrashed: Bool = false) async throws -> String {
        try await run(OpenNote(), with: .init(title: title, excludeTrashed: excludeTrashed)).note
    }
}

struct OpenBook: ReceivedAction {
    struct Input: Codable {
        var title: String
    }

    var opened: @Sendable (String) -> Void

    func receive(input: Input) {
        opened(input.title)
    }
}

struct CountBooks: ReceivedAction {
    func receive(input: Void) -> Int { 3 }
}

struct MyApp: Receiver {
    var scheme: String { "my-scheme" }
    var receivedActions: [any ReceivedAction] {
        [OpenBook(opened: opened), CountBooks()]
    }

    var opened: @Sendable (String) -> Void = { _ in }
}

struct MiddlemanTests {
    /// Bear, as far as the examples need it.
    static func bear() throws -> Bear {
        let date = Date(timeIntervalSince1970: 0)
        return Bear(
            opener: try Router(scheme: "bear") { router in
                router.route("/open-note") { (input: OpenNote.Input) in
                    guard input.title != "Nothing" else { throw CallbackError(.init(rawValue: 7), "no such note") }
                    guard input.title != "Never mind" else { throw ActionCancelled() }
                    return OpenNote.Output(note: "# \(input.title)", modificationDate: date)
                }
                router.route("/open-url") { (request: Request) in
                    request.parameters["value"] == "https://example.org/a?b=c%20d" ? .success([:]) : .cancel
                }
                router.route("/some-action") {}
            })
    }

    @Test func theURLOfTheOverviewIsBuilt() throws {
        let app = Target(opener: OpenerFunction { _ in .cancel })
        let url = try app.url(
            for: Target.DoSomething(), with: .init(key: "value", optional: nil),
            callbacks: [
                "x-success": "source://x-callback-url/success", "x-error": "source://x-callback-url/error",
            ])
        #expect(
            url.received == """
                target://x-callback-url/do-something?key=value\
                &x-success=source%3A%2F%2Fx-callback-url%2Fsuccess&x-error=source%3A%2F%2Fx-callback-url%2Ferror
                """)
    }

    @Test func anActionIsRunAndGivesItsOutput() async throws {
        let bear = try Self.bear()
        let output = try await bear.run(OpenNote(), with: .init(title: "Title", excludeTrashed: true))
        #expect(output.note == "# Title")
        #expect(output.modificationDate == Date(timeIntervalSince1970: 0))
        #expect(try await bear.openNote(titled: "Title") == "# Title")
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["Title", "Nothing", "Never mind"])
    func theCallbackFormHasThreeOutcomes(title: String) async throws {
        let bear = try Self.bear()
        let said = await withCheckedContinuation { continuation in
            let print = { @Sendable (text: String) in continuation.resume(returning: text) }
            bear.run(
                action: OpenNote(),
                with: .init(title: title, excludeTrashed: true),
                then: { response in
                    switch response {
                    case .success(let output): print(output.note)
                    case .error(let error): print("\(error.code.rawValue) \(error.message)")
                    case .cancel: print("cancelled")
                    }
                }
            )
        }
        #expect(said == ["Title": "# Title", "Nothing": "7 no such note", "Never mind": "cancelled"][title])
    }

    @Test func anErrorIsThrownWithItsCodeAndACancelAsSuch() async throws {
        let bear = try Self.bear()
        await #expect(throws: CallbackError(.init(rawValue: 7), "no such note")) {
            try await bear.openNote(titled: "Nothing")
        }
        await #expect(throws: ActionCancelled()) { try await bear.openNote(titled: "Never mind") }
    }

    @Test func anActionMayTakeOneValueAndGiveNothing() async throws {
        let bear = try Self.bear()
        let url = try #require(URL(string: "https://example.org/a?b=c%20d"))
        try await bear.run(OpenURL(), with: url)
        try await bear.run(SomeAction())
        await bear.run(
            action: SomeAction(),
            then: { response in
                switch response {
                case .success: break
                case .error(let error): Issue.record("\(error)")
                case .cancel: Issue.record("cancelled")
                }
            }
        ).value
    }

    @Test func namesAreTheTypesInKebabCase() {
        #expect(OpenNote().path == "open-note")
        #expect(OpenURL().path == "open-url")
        #expect(Target(opener: OpenerFunction { _ in .cancel }).scheme == "target")
        #expect(Target(opener: OpenerFunction { _ in .cancel }).host == "x-callback-url")
    }

    @Test func aReceiverDoesItsActions() async throws {
        let titles = Mutex<[String]>([])
        let router = try Router(MyApp(opened: { title in titles.withLock { $0.append(title) } }))
        let answer = await router.handle("my-scheme://x-callback-url/open-book?title=Emma&x-success=app://done")
        #expect(answer.url == "app://done")
        #expect(titles.withLock { $0 } == ["Emma"])
        #expect(await router.handle("my-scheme:/count-books").response == .success(["result": "3"]))
        #expect(
            await router.handle("my-scheme:/open-book").url
                == "xcallback://x-callback-url/error?errorCode=422&errorMessage=Parameter%20%27title%27%20is%20missing."
        )
    }

    // What went wrong there.

    @Test func aBooleanIsReadBack() async throws {
        struct Negate: Action {
            typealias Input = Bool
            typealias Output = [String: Bool]
        }
        let router = try Router(scheme: "bear") { router in
            router.answer(Negate()) { flag in ["same": flag, "other": !flag] }
        }
        for flag in [true, false] {
            let output = try await Bear(opener: router).run(Negate(), with: flag)
            #expect(output == ["same": flag, "other": !flag])
        }
    }
}
