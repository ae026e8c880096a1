import FoundationEssentials
import XCallback

// What the comments of the library show, and what it takes to compile it.

struct Note: Codable, Sendable {
    var title: String
}

struct NoteKey: Codable, Sendable {
    var id: Int
}

struct MessageKey: Codable, Sendable {
    var id: Int
}

actor Store {
    func add(_ note: Note) throws {}
    func note(_ id: Int) throws -> Note { Note(title: "\(id)") }
    func message(_ id: Int) throws -> String { "\(id)" }
    func reset() throws {}
    func open(_ title: String) throws -> OfActions.OpenNote.Output {
        OfActions.OpenNote.Output(note: title, modificationDate: .now)
    }
}

actor Books {
    func open(_ title: String) {}
}

let library = Books()
let store = Store()

@Sendable func isAdministrator(_ request: Request) -> PolicyResult { .verified }

enum OfActions {
    struct OpenNote: Action {
        struct Input: Codable { var title: String, excludeTrashed: Bool }
        struct Output: Codable { var note: String, modificationDate: Date }
    }

    static func run() async throws {
        struct Bear: App {}
        let output = try await Bear().run(OpenNote(), with: .init(title: "Milk", excludeTrashed: true))
        print(output.note)
    }

    static func keep(_ input: OpenNote.Input) async throws {
        struct Bear: App {}
        let response = await ActionResponse { try await Bear().run(OpenNote(), with: input) }
        print(try response.get())
    }
}

struct OpenBook: ReceivedAction {
    struct Input: Codable { var title: String }
    func receive(input: Input) async throws { await library.open(input.title) }
}

struct CloseBook: ReceivedAction {
    func receive(input: Void) {}
}

func receive() throws {
    struct MyApp: Receiver {
        var receivedActions: [any ReceivedAction] { [OpenBook(), CloseBook()] }
    }
    let router = try Router(MyApp())
    print(router.scheme)
}

func route() async throws {
    let router = try Router(scheme: "notes") { router in
        router.route("/search") { print("Navigate to the search view") }
        router.route("/create") { (note: Note) in try await store.add(note) }
    }
    let answer = await router.handle("notes:/create?title=Milk&x-success=app://done")
    print(answer.url)  // app://done
}

func group() throws {
    let router = try Router(scheme: "notes") { router in
        router.use { request in
            request.data["started"] = ContinuousClock.now
            return .proceed
        }
        router.route("/notes/:id") { (key: NoteKey) in try await store.note(key.id) }
        router.group("/admin", policies: [Policy(isAdministrator)]) { admin in
            admin.route("/reset") { try await store.reset() }
        }
    }
    print(router.scheme)
}

func check(_ router: inout RouteList) {
    let fromMail = Policy { request in
        request.source == "mail" ? .verified : .failed(CallbackError(.forbidden, "Only for mail."))
    }
    router.route("/messages/:id", policies: [fromMail]) { (key: MessageKey) in try await store.message(key.id) }
}

func ask() async throws {
    let daemon = Client()
    let answer = try await daemon.open("notes:/create?title=Milk")
    print(answer.url)
}

func answer() throws {
    typealias OpenNote = OfActions.OpenNote
    let router = try Router(scheme: "bear") { router in
        router.answer(OpenNote()) { input in try await store.open(input.title) }
    }
    print(router.scheme)
}

func open(_ url: String, _ router: Router) async throws {
    let answer = await router.handle(url, from: .desktop)
    try await answer.open()
}

func copy(_ file: String, _ request: Request) {
    request.progress("Copying \(file)", done: 3, of: 10)
}
