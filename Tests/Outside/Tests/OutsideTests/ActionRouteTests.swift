import FoundationEssentials
import Testing
import XCallback

/// An application whose actions both ends share.
struct Greeter: App {
    struct SayHello: Action {
        struct Input: Codable { var name: String }
        struct Output: Codable { var text: String }
    }

    struct Forget: Action { typealias Input = [String] }
    struct Count: Action { typealias Output = Int }
    struct Reset: Action {}
    struct Odd: Action {
        var path: String { "odd/a:b*{c}" }
        typealias Output = Void
    }
}

struct Mute: Receiver {
    struct Hear: ReceivedAction {
        struct Input: Codable { var word: String }
        var isPublic: Bool { true }
        var policies: [Policy] {
            [Policy { $0.source == "mail" ? .verified : .failed(CallbackError(.forbidden, "Only for mail.")) }]
        }
        func receive(input: Input) -> String { input.word }
    }

    var host: String { "ears" }
    var receivedActions: [any ReceivedAction] { [Hear()] }
}

struct ActionRouteTests {
    static func router() throws -> Router {
        try Router(Greeter()) { router in
            router.answer(Greeter.SayHello()) { input in .init(text: "Hello \(input.name)!") }
            router.answer(Greeter.Forget()) { names in
                guard !names.isEmpty else { throw ActionCancelled() }
            }
            router.answer(Greeter.Count()) { 3 }
            router.answer(Greeter.Reset()) {}
            router.answer(Greeter.Odd()) {}
        }
    }

    @Test func theRouteComesFromTheActionAndBothEndsAreTyped() async throws {
        let router = try Self.router()
        let output = try await Greeter().run(Greeter.SayHello(), with: .init(name: "Ada"), through: router)
        #expect(output.text == "Hello Ada!")
        try await Greeter().run(Greeter.Forget(), with: ["Ada"], through: router)
        await #expect(throws: ActionCancelled()) {
            try await Greeter().run(Greeter.Forget(), with: [], through: router)
        }
        #expect(try await Greeter().run(Greeter.Count(), through: router) == 3)
        try await Greeter().run(Greeter.Reset(), through: router)
        try await Greeter().run(Greeter.Odd(), through: router)
    }

    @Test func aReceivedActionHasPolicies() async throws {
        let router = try Router(Mute(), callbacks: ["app"]) { router in
            router.use { request in
                request.parameters.append("word", "hello")
                return .proceed
            }
        }
        #expect(
            router.routes(as: .dropIn).contains(
                "route: \"mute:/ears/hear\"\n    title: \"Hear\"\n    input:\n      \"word\""))
        let answer = await router.handle("mute://ears/hear?x-source=mail&x-success=app:/s", from: .desktop)
        #expect(answer.url == "app:/s?result=hello")
        let error = CallbackError(.forbidden, "Only for mail.")
        #expect(await router.handle("mute://ears/hear").response == .error(error))
    }

    @Test func aFaultNamesTheLineOfTheUser() throws {
        let line = #line + 1
        func mute() throws -> Router { try Router(Mute()) { $0.route("/hear") {} } }
        func greeter() throws -> Router {
            try Router(Greeter()) { router in
                router.answer(Greeter.Reset()) {}
                router.answer(Greeter.Reset()) {}
            }
        }
        let error = #expect(throws: RouterError.self) { try mute() }
        #expect(error?.description.contains("OutsideTests/ActionRouteTests.swift:\(line): ") == true, "\(error as Any)")
        #expect(error?.localizedDescription == error?.description)
        let clash = #expect(throws: RouterError.self) { try greeter() }
        #expect(
            clash?.description.contains("OutsideTests/ActionRouteTests.swift:\(line + 4): ") == true, "\(clash as Any)")
    }

    @Test func aLoneCaptureIsALoneValue() async throws {
        let router = try Router(scheme: "app") { router in
            router.route("/notes/:id") { (id: Int) in id + 1 }
            router.route("/files/*path") { (path: [String]) in path.count }
            router.route("/text") { (text: String) in text }
            router.route("/both/:id") { (id: Int, note: [String: String], request: Request) in
                "\(id) \(note["title"] ?? "") \(request.source ?? "")"
            }
        }
        #expect(await router.send("/notes/7") == .success(["result": "8"]))
        #expect(await router.send("/files/a/b") == .success(["result": "2"]))
        #expect(await router.send("/text?value=a") == .success(["result": "a"]))
        #expect(await router.send("/both/7?title=Milk&x-source=mail") == .success(["result": "7 Milk mail"]))
        let error = #expect(throws: RouterError.self) {
            try Router(scheme: "app") { $0.route("/:year/:month") { (year: Int) in year } }
        }
        #expect(
            error?.faults.first?.hasSuffix(
                "'app:/:year/:month': a single value can only be that of one capture; "
                    + "take a Decodable type with the properties 'year' and 'month'") == true, "\(error as Any)")
    }

    @Test func middlewareMayThrow() async throws {
        let router = try Router(scheme: "app") { router in
            router.use { request in
                guard request.source != "spam" else { throw ActionCancelled() }
                return .proceed
            }
            router.use { request in
                await Task.yield()
                guard request.source != nil else { throw CallbackError(.forbidden, "Who?") }
                return .proceed
            }
            router.route("/a") {}
        }
        #expect(await router.send("/a?x-source=mail") == .success([:]))
        #expect(await router.send("/a?x-source=spam") == .cancel)
        #expect(await router.send("/a") == .error(CallbackError(.forbidden, "Who?")))
    }
}
