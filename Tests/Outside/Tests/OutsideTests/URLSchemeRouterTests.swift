import Synchronization
import Testing
import XCallback

// What the README of URLSchemeRouter shows, here.

struct URLSchemeRouterTests {
    struct Note: Codable, Equatable {
        let title: String
        let body: String?
    }

    /// What the handlers have printed.
    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var text: [String] { lines.withLock { $0 } }
        func print(_ line: String) { lines.withLock { $0.append(line) } }
    }

    struct Database: Sendable {
        struct NoNote: Error {}
        var note: Note?

        func fetchNote() throws -> Note {
            guard let note else { throw NoNote() }
            return note
        }
    }

    private let log = Log()

    @Test func aRouteRunsForItsURL() async throws {
        let router = try Router(scheme: "notesapp") { router in
            router.route("/search") {
                log.print("Navigate to search view")
            }
        }
        await router.handle("notesapp:///search")
        #expect(log.text == ["Navigate to search view"])
        #expect(await router.handle("notesapp://x-callback-url/search").response == .success([:]))
    }

    @Test func theHostMayBeIgnored() async throws {
        let router = try Router(scheme: "notesapp", ignoresHosts: true) { router in router.route("/search") {} }
        #expect(await router.handle("notesapp://any/search").response == .success([:]))
    }

    @Test func theInputIsReadFromTheQuery() async throws {
        let router = try Router(scheme: "notesapp") { router in
            router.route("/create") { (note: Note) in
                log.print("Create note with title: \(note.title), body: \(note.body ?? "empty")")
            }
        }
        await router.handle("notesapp:///create?title=My%20note")
        #expect(log.text == ["Create note with title: My note, body: empty"])
    }

    @Test func theOutputGoesToXSuccess() async throws {
        let database = Database(note: Note(title: "My note", body: nil))
        let router = try Router(scheme: "notesapp") { router in
            router.route("/fetchNote") {
                let note = try database.fetchNote()
                return note
            }
        }
        let answer = await router.handle("notesapp:///fetchNote?x-success=otherapp://")
        #expect(answer.url == "otherapp://?title=My%20note")
    }

    @Test func anErrorGoesToXErrorAndToOnError() async throws {
        let database = Database(note: nil)
        let router = try Router(
            scheme: "notesapp",
            onError: { error, request in
                log.print("\(request.route): \(error)")
            }
        ) { router in
            router.route("/fetchNote") { try database.fetchNote() }
            router.route("/create") { (note: Note) in }
        }
        let answer = await router.handle("notesapp:///fetchNote?x-error=otherapp://failed")
        #expect(answer.url == "otherapp://failed?errorCode=500&errorMessage=The%20handler%20failed.")
        #expect(log.text == ["notesapp:/fetchNote: NoNote()"])
        let refused = await router.handle("notesapp:///create?x-error=otherapp://failed")
        #expect(refused.url == "otherapp://failed?errorCode=422&errorMessage=Parameter%20%27title%27%20is%20missing.")
        #expect(log.text.count == 2)
    }

    @Test func theWholeExampleWorks() async throws {
        let saved = Mutex<[String]>([])
        struct SaveParameters: Decodable {
            let url: String
        }
        struct FetchParameters: Encodable {
            let urls: [String]
        }
        struct InvalidURLError: CallbackErrorConvertible {
            var callbackError: CallbackError { CallbackError(.badParameter, "Invalid URL") }
        }
        let router = try Router(scheme: "readlaterapp") { router in
            router.route("/save") { (parameters: SaveParameters) in
                guard parameters.url.contains(":") else { throw InvalidURLError() }
                saved.withLock { $0.append(parameters.url) }
            }
            router.route("/fetch") {
                FetchParameters(urls: saved.withLock { $0 })
            }
        }
        await router.handle("readlaterapp:///save?url=https%3A%2F%2Fexample.org%2F%3Fa%26b%2Cc")
        await router.handle("readlaterapp:///save?url=https%3A%2F%2Fexample.org")
        #expect(
            await router.handle("readlaterapp:///fetch?x-success=app%3A%2F%2Fdone").url
                == "app://done?urls=https%3A%2F%2Fexample.org%2F%3Fa%26b%2Cc&urls=https%3A%2F%2Fexample.org")
        #expect(
            await router.handle("readlaterapp:///save?url=no&x-error=app:e").url
                == "app:e?errorCode=422&errorMessage=Invalid%20URL")
    }

    // What went wrong there.

    @Test func twoHandlersForOneURLAreAnError() throws {
        let error = #expect(throws: RouterError.self) {
            try Router(scheme: "notesapp") { router in
                router.route("/notes/:id") {}
                router.route("/notes/:name") {}
            }
        }
        #expect(error?.faults.count == 1)
        #expect(error?.description.contains("'notesapp:/notes/:name' and 'notesapp:/notes/:id' of ") == true)
    }
}
