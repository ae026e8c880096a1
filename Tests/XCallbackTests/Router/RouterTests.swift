import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackTesting

struct RouterTests {
    struct Note: Codable, Equatable {
        var id: Int
        var title: String?
    }

    struct Files: Codable, Equatable {
        var path: [String]
    }

    static func router() throws -> Router {
        try Router(scheme: "notes") { router in
            router.route("/nothing") {}
            router.route("/nothing/async") { await Task.yield() }
            router.route("/output") { Note(id: 1, title: nil) }
            router.route("/output/async") { () async throws -> Note in
                await Task.yield()
                return Note(id: 2, title: nil)
            }
            router.route("/notes/:id") { (note: Note) in note }
            router.route("/notes/:id/async") { (note: Note) async throws -> Note in
                await Task.yield()
                return note
            }
            router.route("/files/*path") { (files: Files) in files }
            router.route("/input") { (note: Note) in }
            router.route("/text") { (text: String) in text.count }
            router.route("/optional{/:title}") { (note: [String: String]) in note }
        }
    }

    static let answers: [(String, String)] = [
        ("notes:/nothing", "success"),
        ("notes:/nothing/async", "success"),
        ("notes:/output", "success?id=1"),
        ("notes:/output/async", "success?id=2"),
        ("notes:/notes/7?title=a", "success?id=7&title=a"),
        ("notes:/notes/7/async?id=8", "success?id=7"),
        ("notes:/files/a/b%2Cc", "success?path=a&path=b%2Cc"),
        ("notes:/input?id=1", "success"),
        ("notes:/text?value=abc", "success?result=3"),
        ("notes:/optional?a=1", "success?a=1"),
        ("notes:/optional/b", "success?title=b"),
        ("notes:/notes/x", "error?errorCode=422&errorMessage=\(whole)"),
        ("notes:/text", "error?errorCode=422&errorMessage=Parameter%20%27value%27%20is%20missing."),
        ("notes:/none", "error?errorCode=404&errorMessage=No%20route%20answers%20this%20action."),
        ("no url", "error?errorCode=400&errorMessage=\(scheme)"),
    ]

    private static let whole = """
        Parameter%20%27id%27%20must%20be%20a%20whole%20number%20from%20-9223372036854775808%20to%20\
        9223372036854775807.
        """
    private static let scheme = """
        The%20URL%20has%20no%20scheme%3A%20expected%20a%20letter%2C%20then%20letters%2C%20digits%2C%20%27%2B%27%2C%20\
        %27-%27%20or%20%27.%27%2C%20then%20a%20colon.
        """

    @Test(arguments: answers)
    func everyKindOfFunctionAnswers(url: String, answer: String) async throws {
        expect(try await Self.router().handle(url).url, equals: "xcallback://x-callback-url/\(answer)")
    }

    struct Refusal: CallbackErrorConvertible {
        var callbackError: CallbackError { CallbackError(.init(rawValue: 4711), "Not today.") }
    }

    struct Secret: Error {
        let password = "secret"
    }

    @Test func anErrorSaysWhatTheClientSees() async throws {
        let router = try Router(scheme: "notes") { router in
            router.route("/refused") { throw Refusal() }
            router.route("/secret") { throw Secret() }
            router.route("/cancelled") { throw ActionCancelled() }
            router.route("/given-up") { throw CancellationError() }
            router.route("/unwritable") { Double.nan }
        }
        expect(await router.send("/refused"), equals: .error(Refusal().callbackError))
        expect(await router.send("/secret"), equals: .error(.internalFailure))
        expect(await router.send("/cancelled"), equals: .cancel)
        expect(await router.send("/unwritable"), equals: .error(.internalFailure))
        guard case .error(let error) = await router.send("/given-up") else { return }
        #expect(error.code == .unavailable)
    }

    @Test func whatAnErrorSaysOfAValueStaysInside() async throws {
        enum Level: String, Decodable { case low, high }
        struct Input: Decodable { let level: Level }
        let router = try Router(scheme: "notes") { router in router.route("/a") { (input: Input) in } }
        let expected = CallbackError(.badParameter, "Parameter 'level' is not what this action expects.")
        expect(await router.send("/a?level=secret"), equals: .error(expected))
    }

    struct Stay: Decodable {
        enum Keys: CodingKey { case from, to }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Keys.self)
            let (from, to) = (try values.decode(Int.self, forKey: .from), try values.decode(Int.self, forKey: .to))
            if from < 0 {
                throw DecodingError.dataCorruptedError(forKey: .from, in: values, debugDescription: "It is past.")
            }
            if to < from {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: values.codingPath, debugDescription: "it ends too early"))
            }
        }
    }

    struct Even: Decodable {
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            guard try value.decode(Int.self) % 2 == 0 else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "it is odd")
            }
        }
    }

    @Test func aListOfListsHasNoDeclaration() throws {
        struct Lists: Decodable { let grid: [[Int]], gaps: [Int?], tags: [String] }
        let router = try Router(scheme: "notes") { router in router.route("/a") { (_: Lists) in } }
        let declared = "input:\n      \"tags\": {\"type\":\"list\",\"of\":\"string\"}\n    returns: {}\n"
        #expect(router.routes(as: .dropIn).contains(declared))
    }

    static let invalid: [(action: String, message: String)] = [
        ("/stay?from=-1&to=2", "Parameter 'from' is invalid: It is past."),
        ("/stay?from=2&to=1", "The parameters are invalid: it ends too early."),
        ("/even?value=1", "Parameter 'value' is invalid: it is odd."),
        ("/stays?stays.0.from=2&stays.0.to=1", "Parameter 'stays.0' is invalid: it ends too early."),
    ]

    @Test(arguments: invalid)
    func aTypeSaysItselfWhyAValueIsInvalid(action: String, message: String) async throws {
        struct Stays: Decodable { let stays: [Stay] }
        let router = try Router(scheme: "notes") { router in
            router.route("/stay") { (_: Stay) in }
            router.route("/even") { (_: Even) in }
            router.route("/stays") { (_: Stays) in }
        }
        expect(await router.send(action), equals: .error(CallbackError(.badParameter, message)))
    }

    enum Level: String, Codable, CaseIterable { case low, high }

    static let unreadable: [(action: String, message: String)] = [
        ("/level/medium", "Parameter 'level' must be one of low, high."),
        ("/one?value=medium", "Parameter 'value' must be one of low, high."),
        ("/list?value=1&value=x", "Parameter 'value.1' must be a whole number from -128 to 127."),
        ("/levels?levels=low&levels=x", "Parameter 'levels.1' must be one of low, high."),
    ]

    @Test(arguments: unreadable)
    func anInvalidValueIsNamedWithWhatIsExpected(action: String, message: String) async throws {
        struct Levels: Decodable { let levels: [Level] }
        let router = try Router(scheme: "notes") { router in
            router.route("/level/:level") { (level: Level) in level.rawValue }
            router.route("/one") { (level: Level) in level.rawValue }
            router.route("/list") { (list: [Int8]) in list.count }
            router.route("/levels") { (levels: Levels) in levels.levels.count }
        }
        expect(await router.send(action), equals: .error(CallbackError(.badParameter, message)))
    }

    struct Store: App {
        struct Lend: Action {
            struct Input: Codable { var title: String }
            struct Output: Codable { var by: String }
        }
        struct Remove: Action { typealias Input = [String] }
        struct Reset: Action {}
    }

    @Test func aFunctionOfAnActionMayTakeTheRequest() async throws {
        let (requests, requested) = AsyncStream<String>.makeStream()
        let router = try Router(Store()) { router in
            router.answer(Store.Lend()) { input, request in .init(by: "\(input.title) \(request.source ?? "")") }
            router.route("/count") { (request: Request) in request.peer.userID }
            router.answer(Store.Remove()) { titles, request in requested.yield("\(titles) \(request.origin)") }
        }
        let peer = Peer(userID: 7, groupID: 8, processID: 9)
        let lent = await router.handle("store:/lend?title=a&x-source=mail").response
        #expect(lent == .success(["by": "a mail"]))
        expect(await router.handle("store:/count", peer: peer).response, equals: .success(["result": "7"]))
        _ = await router.handle("store:/remove?value=a", from: .agent)
        _ = await router.send("/remove?value=a")
        requested.finish()
        expect(await requests.reduce(into: []) { $0.append($1) }, equals: [#"["a"] internal"#])
    }

    @Test func theErrorOfACallIsNotTheErrorOfTheHandler() async throws {
        let store = try Router(Store()) { router in
            router.answer(Store.Reset()) { throw CallbackError(.notFound, "No such shelf.") }
            router.answer(Store.Remove()) { _ in throw ActionCancelled() }
        }
        let (errors, failed) = AsyncStream<CallbackError.Author?>.makeStream()
        let router = try Router(
            scheme: "notes", onError: { error, _ in failed.yield((error as? CallbackError)?.author) }
        ) {
            $0.route("/reset") { try await Store().run(Store.Reset(), through: store) }
            $0.route("/remove") { try await Store().run(Store.Remove(), with: [], through: store) }
            $0.route("/own") { throw CallbackError(404, "No such note.") }
        }
        let error = CallbackError(.unreadableAnswer, "A called application failed with error 404 No such shelf.")
        expect(await router.send("/reset"), equals: .error(error))
        expect(await router.send("/remove"), equals: .cancel)
        expect(await router.send("/own"), equals: .error(CallbackError(.notFound, "No such note.")))
        expect(await errors.first { _ in true }, equals: .application)
    }

    @Test func anItemWithAReservedNameIsNamed() async throws {
        let router = try Router(scheme: "notes") { router in
            router.route("/a") { request in .success(["a": "1", "X-Key": "2"]) }
        }
        let fault = "The handler's result has the item 'X-Key', whose name is reserved."
        expect(await router.send("/a"), equals: .error(CallbackError(.internalFailure, fault)))
    }

    @Test func middlewareSeesWhetherThereIsARouteAndMayThrow() async throws {
        struct Guarding: AsyncMiddleware {
            func receive(_ request: inout Request) async throws -> MiddlewareResult {
                guard request.route.isEmpty else { return .proceed }
                throw CallbackError(.forbidden, "No route.")
            }
        }
        let router = try Router(scheme: "notes") { router in
            router.use(Guarding())
            router.route("/a") { request in .success(["route": request.route]) }
        }
        expect(await router.send("/a"), equals: .success(["route": "notes:/a"]))
        expect(await router.send("/b"), equals: .error(CallbackError(403, "No route.")))
    }

    @Test func theRoutesOfARouterAreAFileForTheDaemon() throws {
        struct Notes: App {
            struct AddNote: Action {
                struct Author: Codable { var name: String, age: UInt8? }
                struct Input: Codable {
                    var title: String, level: Level?, tags: [String], author: Author?, day: Date, size: UInt
                }
                struct Output: Codable { var id: Int, url: URL? }

                let title = "Add a \"note\""
                let description = "To the end.\nNever twice."
            }
            struct Tree: Codable {
                var name: String
                var left: [Tree], next: Link?
                final class Link: Codable { let tree: Tree? }
            }
            struct GrabURL: Action {
                typealias Input = URL
                typealias Output = [Double]
            }
            struct Grow: Action { typealias Input = Tree }
            struct Copy: Action {
                typealias Input = [String: String]
                typealias Output = [String: String]
            }
        }
        let style = QueryStyle(keys: .kebabCase)
        struct Deep: Decodable { let isDeep: Bool?, byte: Int8 }
        let router = try Router(scheme: "notes", ignoresHosts: true, style: style) { router in
            router.answer(Notes.AddNote()) { _ in .init(id: 1, url: nil) }
            router.answer(Notes.GrabURL()) { _ in [] }
            router.answer(Notes.Grow()) { _ in }
            router.answer(Notes.Copy()) { $0 }
            router.route("/notes/:id") { (id: Int, request: Request, deep: Deep) in "" }
            router.group("/", scheme: "pad") { pad in pad.route("/raw") { request in .cancel } }
        }
        let file = #"""
            # The actions of 'notepad', from its types. Policies, 'public' and 'agent' are yours.
            schemes:
              "notes": {"hosts":"ignore"}
              "pad": {"hosts":"ignore"}
            routes:
              - route: "notes:/add-note"
                title: "Add a \"note\""
                description: "To the end.\nNever twice."
                input:
                  "title": {"type":"string"}
                  "level": {"type":"enum","values":["low","high"],"required":false}
                  "tags": {"type":"list","of":"string"}
                  "author.name": {"type":"string","required":false}
                  "author.age": {"type":"int","required":false,"min":0,"max":255}
                  "day": {"type":"date"}
                  "size": {"type":"number","min":0}
                returns:
                  "id": {"type":"int"}
                  "url": {"type":"url","required":false}
                deliver: "notepad"
              - route: "notes:/grab-url"
                title: "Grab url"
                input:
                  "value": {"type":"url"}
                returns:
                  "result": {"type":"list","of":"number"}
                deliver: "notepad"
              - route: "notes:/grow"
                title: "Grow"
                input:
                  "name": {"type":"string"}
                returns: {}
                deliver: "notepad"
              - route: "notes:/copy"
                title: "Copy"
                deliver: "notepad"
              - route: "notes:/notes/:id"
                input:
                  "id": {"type":"int"}
                  "is-deep": {"type":"bool","required":false}
                  "byte": {"type":"int","min":-128,"max":127}
                returns:
                  "result": {"type":"string"}
                deliver: "notepad"
              - route: "pad:/raw"
                deliver: "notepad"

            """#
        #expect(router.routes(as: .dropIn, deliveringTo: "notepad") == file)
    }

    @Test func aGroupSharesWhatStandsBeforeItsRoutes() async throws {
        let refused = CallbackError(.refused, "no")
        let router = try Router(scheme: "notes") { router in
            router.group("/admin", isPublic: true, policies: [Policy { _ in .failed(refused) }]) { admin in
                admin.route("/reset") {}
                admin.group("/:id") { inner in inner.route("/show") { (note: Note) in note } }
            }
            router.group("/open", isPublic: true) { group in
                group.use { request in
                    request.parameters.append("id", "5")
                    return .proceed
                }
                group.route("/show") { (note: Note) in note }
                group.group(isPublic: false) { inner in inner.route("/hidden") {} }
            }
        }
        expect(await router.handle("notes:/admin/reset", from: .desktop).response, equals: .error(refused))
        expect(await router.handle("notes:/admin/1/show", from: .desktop).response, equals: .error(refused))
        expect(await router.handle("notes:/open/show", from: .desktop).response, equals: .success(["id": "5"]))
        expect(await router.handle("notes:/open/hidden").response, equals: .success([:]))
        guard case .error(let error) = await router.handle("notes:/open/hidden", from: .desktop).response else {
            Issue.record("a private route was reached")
            return
        }
        #expect(error.code == .refused)
    }

    struct Stamp: AsyncMiddleware {
        func receive(_ request: inout Request) async -> MiddlewareResult {
            await Task.yield()
            return .proceed
        }

        func finish(_ request: Request, _ response: inout Response) async {
            guard case .success(var items) = response else { return }
            items.append("stamp", "1")
            response = .success(items)
        }
    }

    /// Says nothing.
    struct Silence: AsyncHandler {
        func handle(_ request: Request) -> Response { .success([:]) }
    }

    @Test func stagesThatWaitArePartOfTheExecution() async throws {
        let router = try Router(scheme: "notes") { router in
            router.use(Stamp())
            router.route("/a") {}
        }
        expect(await router.send("/a"), equals: .success(["stamp": "1"]))
    }

    @Test(arguments: [
        ("pass", Response.success([:])), ("fail", .error(CallbackError(.forbidden, "no"))), ("leave", .cancel),
        ("refuse", .error(CallbackError(4711, "Not today."))), ("break", .error(.internalFailure)),
    ])
    func onlyTheVerdictOfAPolicyThatWaitsLetsARequestPass(action: String, response: Response) async throws {
        let policy = Policy { request async throws -> PolicyResult in
            await Task.yield()
            switch request.parameters["action"] {
            case "pass": return .verified
            case "fail": return .failed(CallbackError(.forbidden, "no"))
            case "leave": throw ActionCancelled()
            case "refuse": throw Refusal()
            default: throw Secret()
            }
        }
        let router = try Router(scheme: "notes") { router in
            router.require(policy)
            router.route("/:action") {}
        }
        expect(await router.send("/\(action)"), equals: response)
    }

    @Test func allFaultsAreReportedAtOnceWithTheirPlaces() throws {
        let error = #expect(throws: RouterError.self) {
            try Router(scheme: "x-callback url") { router in
                router.route("notes") {}
                router.route("/a/:", to: Silence(), file: "App/Routes.swift", line: 7)
                router.group("/:id") { group in group.route("/:id") {} }
            }
        }
        #expect(error?.faults.count == 4)
        #expect(
            error?.faults.contains {
                $0.hasPrefix(
                    """
                    App/Routes.swift:7: a name must follow ':' or '*'; put '\\' before a character that is meant as text, \
                    at position 4 of /a/:;
                    """)
            } == true, "\(error?.description ?? "")")
        #expect(throws: RouterError.self) { try Router(scheme: "javascript") { _ in } }
    }

    @Test func aHandlerMayAskItsOwnRouter() async throws {
        let own = Mutex<Router?>(nil)
        let router = try Router(scheme: "notes") { router in
            router.route("/inner") { "done" }
            router.route("/outer") { (request: Request) in
                await own.withLock { $0 }?.send("/inner") ?? .cancel
            }
        }
        own.withLock { $0 = router }
        expect(await router.handle("notes:/outer").response, equals: .success(["result": "done"]))
    }

    @Test func aRedirectLeadsToAnotherRoute() async throws {
        let router = try Router(scheme: "notes") { router in
            router.route("/old") { (request: Request) in .redirect(try Callback("notes:/new?a=1")) }
            router.route("/new") { (values: [String: Int]) in values }
            router.route("/out") { (request: Request) in .redirect(try Callback("other:/b?c=1")) }
        }
        expect(await router.handle("notes:/old?x-success=app:s").url, equals: "app:s?a=1")
        expect(await router.handle("notes:/out?x-success=app:s").url, equals: "other:/b?c=1&x-success=app%3As")
    }

    @Test func valuesAreWrittenInTheStyleOfTheRouter() async throws {
        struct Item: Codable { var modificationDate: Int }
        let router = try Router(scheme: "notes", style: QueryStyle(keys: .kebabCase)) { router in
            router.route("/a") { (item: Item) in item }
        }
        expect(await router.send("/a?modification-date=3"), equals: .success(["modification-date": "3"]))
    }
}
