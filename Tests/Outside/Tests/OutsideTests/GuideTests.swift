import Glibc
import Testing
import XCallback

// What the guides of the library show.

/// The notes application, as its URLs show it.
struct Notebook: App {
    let scheme = "notebook"
    let source = "Diary"

    struct AddNote: Action {
        struct Input: Codable { var title: String, tags: [String] }
        struct Output: Codable { var id: Int }
    }

    struct Empty: Action {}
}

struct NewNote: Codable, Sendable {
    var title: String
}

/// The notes themselves.
actor Notes {
    private(set) var notes = [7: NewNote(title: "Milk")]

    func add(_ note: NewNote) throws -> Notebook.AddNote.Output {
        notes[notes.count + 7] = note
        return Notebook.AddNote.Output(id: notes.count + 6)
    }

    func add(_ note: Notebook.AddNote.Input) throws -> Notebook.AddNote.Output {
        try add(NewNote(title: "\(note.title) for \(note.tags.joined(separator: ", "))"))
    }

    func note(_ id: Int) -> NewNote? { notes[id] }
    func confirms(_ question: String) -> Bool { question == "Empty the trash?" }
    func emptyTrash() { notes = [:] }
}

let fromDiary = Policy { request in
    request.source == "diary" ? .verified : .failed(CallbackError(.forbidden, "Only for the diary."))
}

struct GuideTests {
    static func router(of notebook: Notes) throws -> Router {
        let router = try Router(scheme: "notebook", callbacks: ["diary"]) { router in
            router.route("/add-note") { (note: NewNote) in try await notebook.add(note) }
            router.route("/notes/:id") { (id: Int) in
                if let note = await notebook.note(id) { return note }
                throw CallbackError(.notFound, "No such note.")
            }
            router.group("/trash", policies: [fromDiary]) { trash in
                trash.route("/empty") { (request: Request) in
                    guard await notebook.confirms("Empty the trash?") else { return .cancel }
                    await notebook.emptyTrash()
                    return .success([:])
                }
            }
        }
        return router
    }

    static func actionRouter(of notebook: Notes) throws -> Router {
        let router = try Router(Notebook()) { router in
            router.answer(Notebook.AddNote()) { note in try await notebook.add(note) }
            router.answer(Notebook.Empty(), isPublic: true) { await notebook.emptyTrash() }
        }
        return router
    }

    static func serve(_ router: Router, _ daemon: Client) async throws {
        try await router.serve(as: "notebook", through: daemon)
    }

    static func run() async throws {
        let note = try await Notebook().run(Notebook.AddNote(), with: .init(title: "Milk", tags: ["home", "shop"]))
        print(note.id)
        try await Notebook().run(Notebook.Empty(), timeout: .seconds(10))
        let response = await ActionResponse { try await Notebook().run(Notebook.Empty()) }
        if case .error(let error) = response {
            switch error.author {
            case .application: print("The notebook says: \(error.message)")
            case .daemon, .connection: print("The notebook was not reached: \(error.message)")
            case .cancelled: break
            }
        }
    }

    static func main(_ router: Router, _ notebook: Notes) throws {
        if CommandLine.arguments.contains("--routes") { return print(router.routes(as: .dropIn)) }
        _ = try Router(Notebook()) { router in
            router.answer(Notebook.AddNote()) { note, request in
                request.progress("writing", done: 1, of: 2)
                return try await notebook.add(note)
            }
        }
    }

    @Test func theFileOfTheDaemonIsThatOfTheTypes() async throws {
        let router = try Self.actionRouter(of: Notes())
        let file = """
            # The actions of 'notebook', from its types. Policies, 'public' and 'agent' are yours.
            schemes:
              "notebook": {}
            routes:
              - route: "notebook:/add-note"
                title: "Add note"
                input:
                  "title": {"type":"string"}
                  "tags": {"type":"list","of":"string"}
                returns:
                  "id": {"type":"int"}
                deliver: "notebook"
              - route: "notebook:/empty"
                title: "Empty"
                returns: {}
                deliver: "notebook"

            """
        #expect(router.routes(as: .dropIn) == file)
    }

    @Test func anEventIsAnswered() async throws {
        let router = try Router(scheme: "notebook") { router in router.route("/shown", event: "noteShown") }
        let listener = router.answer(event: "noteShown") { request in .success(["id": request.parameters["id"]]) }
        #expect(await router.send("/shown?id=7") == .success(["id": "7"]))
        withExtendedLifetime(listener) {}
    }

    @Test func servingEndsOnASignal() async throws {
        let router = try Self.router(of: Notes())
        // Without a daemon it waits, until the signal.
        try await router.serve(as: "notebook", through: Client(socket: "/nowhere/socket"), endingOn: .sigterm) { _ in
            kill(getpid(), SIGTERM)
        }
    }

    @Test func actionsAreRun() async throws {
        let notes = Notes()
        let router = try Self.actionRouter(of: notes)
        let note = try await Notebook().run(
            Notebook.AddNote(), with: .init(title: "Milk", tags: ["home", "shop"]), through: router)
        #expect(await notes.note(note.id)?.title == "Milk for home, shop")
        try await Notebook().run(Notebook.Empty(), timeout: .seconds(10), through: router)
        #expect(await notes.notes.isEmpty)
    }

    @Test func actionsAreAnswered() async throws {
        let router = try Self.router(of: Notes())
        #expect(await router.send("/add-note?title=Bread") == .success(["id": "8"]))
        let answer = await router.handle("notebook:/notes/7?x-success=diary:/shown", from: .socket)
        #expect(answer.url == "diary:/shown?title=Milk")
        #expect(await router.handle("notebook:/notes/7", from: .desktop).url.contains("errorCode=403"))
        #expect(await router.send("/notes/9") == .error(CallbackError(.notFound, "No such note.")))
        #expect(await router.send("/trash/empty") == .error(CallbackError(.forbidden, "Only for the diary.")))
        #expect(await router.send("/trash/empty?x-source=diary") == .success([:]))
    }

    @Test func aNoteIsAdded() async throws {
        let router = try Router(Notebook()) { router in
            router.answer(Notebook.AddNote()) { note in Notebook.AddNote.Output(id: note.title.count) }
        }
        let note = try await Notebook().run(Notebook.AddNote(), with: .init(title: "Milk", tags: []), through: router)
        #expect(note.id == 4)
    }

    @Test func anErrorOfTheApplicationIsThrown() async throws {
        struct LockedNotebook: Opener {
            func open(_ url: ActionURL) async throws -> Response {
                #expect(url.received == "notebook://x-callback-url/empty?x-source=Diary")
                return .error(CallbackError(.unavailable, "The notebook is locked."))
            }
        }
        await #expect(throws: CallbackError(.unavailable, "The notebook is locked.")) {
            try await Notebook().run(Notebook.Empty(), through: LockedNotebook())
        }
    }
}
