import Testing
import XCallback

// What the guides of the library show.

/// The notes application, as its URLs show it.
struct Notebook: App {
    var scheme: String { "notebook" }
    var source: String? { "Diary" }

    struct AddNote: Action {
        struct Input: Codable { var title: String, tags: [String] }
        struct Output: Codable { var id: Int }
    }

    struct Empty: Action {}

    var opener: any Opener
}

struct NewNote: Codable, Sendable {
    var title: String
}

struct NoteID: Codable, Sendable {
    var id: Int
}

/// The notes themselves.
actor Notes {
    private(set) var notes = [7: NewNote(title: "Milk")]

    func add(_ note: NewNote) throws -> NoteID {
        notes[notes.count + 7] = note
        return NoteID(id: notes.count + 6)
    }

    func note(_ id: Int) -> NewNote? { notes[id] }
    func confirms(_ question: String) -> Bool { question == "Empty the trash?" }
    func emptyTrash() { notes = [:] }
}

let fromDiary = Check { request in
    request.source == "diary" ? .verified : .failed(CallbackError(.refused, "Only for the diary."))
}

struct GuideTests {
    static func router(of notebook: Notes) throws -> Router {
        let router = try Router(scheme: "notebook", callbacks: ["diary"]) { router in
            router.route("/add-note") { (note: NewNote) in try await notebook.add(note) }
            router.route("/notes/:id") { (key: NoteID) in
                if let note = await notebook.note(key.id) { return note }
                throw CallbackError(.unknownAction, "No such note.")
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

    static func serve(_ router: Router, _ daemon: Client) async throws {
        try await router.serve(as: "notebook", through: daemon)
    }

    @Test func actionsAreRun() async throws {
        let notes = Notes()
        let router = try Router(scheme: "notebook") { router in
            router.route("/add-note") { (note: Notebook.AddNote.Input) in
                try await notes.add(NewNote(title: "\(note.title) for \(note.tags.joined(separator: ", "))"))
            }
            router.route("/empty") { await notes.emptyTrash() }
        }
        let notebook = Notebook(opener: router)
        let note = try await notebook.run(Notebook.AddNote(), with: .init(title: "Milk", tags: ["home", "shop"]))
        #expect(await notes.note(note.id)?.title == "Milk for home, shop")
        try await notebook.run(Notebook.Empty(), timeout: .seconds(10))
        #expect(await notes.notes.isEmpty)
    }

    @Test func actionsAreAnswered() async throws {
        let router = try Self.router(of: Notes())
        #expect(await router.send("/add-note?title=Bread") == .success(["id": "8"]))
        let answer = await router.handle("notebook:/notes/7?x-success=diary:/shown", from: .socket)
        #expect(answer.url == "diary:/shown?title=Milk")
        #expect(await router.send("/notes/9") == .error(CallbackError(.unknownAction, "No such note.")))
        #expect(await router.send("/trash/empty") == .error(CallbackError(.refused, "Only for the diary.")))
        #expect(await router.send("/trash/empty?x-source=diary") == .success([:]))
    }

    @Test func aNoteIsAdded() async throws {
        let router = try Router(scheme: "notebook") { router in
            router.route("/add-note") { (note: Notebook.AddNote.Input) in
                Notebook.AddNote.Output(id: note.title.count)
            }
        }
        let note = try await Notebook(opener: router).run(Notebook.AddNote(), with: .init(title: "Milk", tags: []))
        #expect(note.id == 4)
    }

    @Test func anErrorOfTheApplicationIsThrown() async throws {
        let opener = OpenerFunction { url in
            #expect(url.received == "notebook://x-callback-url/empty?x-source=Diary")
            return .error(CallbackError(.unavailable, "The notebook is locked."))
        }
        await #expect(throws: CallbackError(.unavailable, "The notebook is locked.")) {
            try await Notebook(opener: opener).run(Notebook.Empty())
        }
    }
}
