import XCallback

// Each kind of function, wherever the library takes one that may wait.

nonisolated struct Book: Codable, Sendable {
    var title = ""
}

enum StaticFunctions {
    static func reset() async throws {}
    static func list() async throws -> [Book] { [] }
    static func remove(_ book: Book) async throws {}
    static func find(_ book: Book) async throws -> Book { book }
    static func same(_ book: Book) async -> Book { book }
    static func respond(_ request: Request) async throws -> Response { .cancel }
    static func receive(_ request: inout Request) async -> MiddlewareResult { .proceed }
    static func verify(_ request: Request) async throws -> PolicyResult { .verified }
    static func show(_ url: String) async throws {}

    static func routes(_ router: inout RouteList) async throws {
        router.require(Policy(verify))
        router.route("/reset", reset)
        router.route("/list", StaticFunctions.list)
        router.route("/remove", Self.remove)
        router.route("/find", find)
        router.route("/same", same)
        router.route("/respond", respond)
        router.use(receive)
        _ = try await Client.shared.call("app:/do", opening: show)
        _ = await ActionResponse(list)
    }
}

nonisolated enum NonisolatedFunctions {
    static func count() throws -> Int { 0 }
    static func list() async throws -> [Book] { [] }
    static func copy(_ book: Book) -> Book { book }
    static func find(_ book: Book) async throws -> Book { book }
    static func receive(_ request: inout Request) async -> MiddlewareResult { .proceed }
    nonisolated(nonsending) static func show(_ url: String) async throws {}

    static func routes(_ router: inout RouteList) async throws {
        router.route("/count", count)
        router.route("/list", list)
        router.route("/copy", copy)
        router.route("/find", find)
        router.use(receive)
        _ = try await Client.shared.call("app:/do", opening: show)
        _ = await ActionResponse(count)
    }
}

actor Library {
    var count = 0

    func list() async throws -> [Book] { [] }
    func add(_ book: Book) -> Int {
        count += 1
        return count
    }
    func show(_ url: String) async throws { count += 1 }

    func routes(_ router: inout RouteList) async throws {
        router.route("/list", list)
        router.route("/add", add)
        router.route("/reset") { await self.add(Book()) }
        _ = try await Client.shared.call("app:/do", opening: show)
        _ = try await Client.shared.call("app:/do") { _ in count += 1 }
        _ = await ActionResponse { count += 1 }
    }
}

@MainActor
final class Window {
    var count = 0

    func list() async throws -> [Book] { [] }
    func add(_ book: Book) -> Int {
        count += 1
        return count
    }
    func show(_ url: String) async throws { count += 1 }
    static func find(_ book: Book) async throws -> Book { book }
    static func receive(_ request: inout Request) async -> MiddlewareResult { .proceed }

    func routes(_ router: inout RouteList) async throws {
        router.route("/list", list)
        router.route("/add", add)
        router.route("/find", Self.find)
        router.use(Self.receive)
        router.route("/reset") { await self.add(Book()) }
        router.route("/clear") { @MainActor in self.count = 0 }
        _ = try await Client.shared.call("app:/do", opening: show)
        _ = try await Client.shared.call("app:/do") { _ in count += 1 }
        _ = await ActionResponse { count += 1 }
    }
}

func findBook(_ book: Book) async throws -> Book { book }

func closures(_ router: inout RouteList) async throws {
    router.route("/a") {}
    router.route("/e") { (book: Book) in _ = book }
    router.route("/f") { (book: Book) in try await StaticFunctions.remove(book) }
    router.route("/h") { (book: Book) -> Book in try await StaticFunctions.find(book) }
    router.route("/i") { (request: Request) in .success(request.parameters) }
    router.route("/j") { (request: Request) -> Response in try await StaticFunctions.respond(request) }
    router.route("/k") { request in request.source }
    router.route("/l") { request in try await StaticFunctions.remove(Book(title: request.route)) }
    router.route("/m") { request in
        guard request.source != nil else { return .cancel }
        return .success([:])
    }
    router.route("/n") { (request: Request, book: Book) in print(request, book) }
    router.route("/o") { (request: Request, book: Book) in [book, Book(title: request.source ?? "")] }
    router.route("/p") { (request: Request, book: Book) -> Response in book.title.isEmpty ? .cancel : .success([:]) }
    router.route("/s") { throw ActionCancelled() }
    router.route("/t") { (book: Book) in throw ActionCancelled() }
    router.route("/aa") { (book: Book) in
        guard !book.title.isEmpty else { throw ActionCancelled() }
        _ = book
    }
    router.route("/ab/:id") { (id: Int) in id }
    router.route("/ac/:id") { (id: Int, book: Book) in book.title.isEmpty ? nil : id }
    router.route("/v") { (request: Request) in
        switch request.source {
        case nil: return .cancel
        default: return .success([:])
        }
    }
    router.require(Policy { request in request.source == nil ? .verified : .failed(.internalFailure) })
    router.require(Policy { request in try await StaticFunctions.verify(request) })
    router.use { request in request.source == nil ? .proceed : .answer(.cancel) }
    router.use { request in await StaticFunctions.receive(&request) }
    router.use { request in
        guard request.source != nil else { throw ActionCancelled() }
        return .proceed
    }
    router.use { request in
        guard try await StaticFunctions.list().isEmpty else { throw ActionCancelled() }
        return .proceed
    }
    var urls: [String] = []
    _ = try await Client.shared.call("app:/do") { url in urls.append(url) }
    _ = await ActionResponse { urls.count }
    let stored: @Sendable (Book) async throws -> Book = { book in book }
    router.route("/k", stored)
    router.route("/l") { request in .success(request.parameters) }
    router.route("/m") { request in
        guard request.source != nil else { throw CallbackError(.notFound, "Who?") }
        return .success([:])
    }
}

nonisolated enum OfOtherRouters {
    static func router() throws -> Router { try Router(scheme: "app") { _ in } }
}

/// Functions of the library itself.
func functionsOfTheLibrary(_ router: inout RouteList, _ other: Router) {
    router.route("/other", to: Forwarder(other: other))
    router.require(Policy(Forwarder(other: other).verify))
    router.require(Policy { [counter = Counter()] request in try await counter.verify(request) })
}

nonisolated struct Forwarder: AsyncHandler, AsyncMiddleware, Opener {
    var other: Router

    func handle(_ request: Request) async throws -> Response { await other.send("/other") }
    func receive(_ request: inout Request) async -> MiddlewareResult { .proceed }
    func verify(_ request: Request) async throws -> PolicyResult { .verified }
    func open(_ url: ActionURL) async throws -> Response { try await other.open(url) }
}

actor Counter: AsyncHandler, Opener {
    var count = 0

    func handle(_ request: Request) async throws -> Response {
        count += 1
        return .success(["count": "\(count)"])
    }

    func verify(_ request: Request) throws -> PolicyResult {
        guard count < 9 else { throw ActionCancelled() }
        return .verified
    }
    func open(_ url: ActionURL) async throws -> Response { .success(["count": "\(count)"]) }
}

nonisolated struct Lend: Action {
    typealias Input = Book
    typealias Output = Book
}

nonisolated struct Remove: Action { typealias Input = Book }
nonisolated struct Count: Action { typealias Output = Int }
nonisolated struct Reset: Action {}

/// Functions for actions, whose types come from the action.
func actions(_ router: inout RouteList, _ library: Library, _ window: Window) {
    router.answer(Lend()) { book in book }
    router.answer(Lend()) { book in try await StaticFunctions.find(book) }
    router.answer(Lend(), StaticFunctions.find)
    router.answer(Lend(), findBook)
    router.answer(Lend()) { book, request in Book(title: request.source ?? book.title) }
    router.answer(Remove()) { book in print(book) }
    router.answer(Remove()) { book, request in print(book, request) }
    router.answer(Remove(), StaticFunctions.remove)
    router.answer(Count()) { 3 }
    router.answer(Count()) { await library.count }
    router.answer(Count()) { @MainActor in window.count }
    router.answer(Reset()) {}
    router.answer(Reset(), StaticFunctions.reset)
    router.answer(Reset()) { throw ActionCancelled() }
    router.answer(AddBook(library: library))
}

nonisolated struct AddBook: ReceivedAction {
    typealias Input = Book
    var library: Library

    func receive(input: Book) async throws -> Int { await library.add(input) }
}
