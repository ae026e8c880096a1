import Testing
import XCallback

// What the page about the library shows.

struct Diary: App {
    struct AddEntry: Action {
        struct Input: Codable { var text: String }
        struct Output: Codable { var id: Int }
    }

    struct Lock: Action {}
}

struct LibraryPageTests {
    static func diaryRouter() throws -> Router {
        let onlyFromMail = Policy { request in
            request.source == "mail" ? .verified : .failed(CallbackError(.forbidden, "Only for mail."))
        }
        let router = try Router(Diary()) { router in
            router.answer(Diary.AddEntry()) { input in .init(id: input.text.count) }
            router.answer(Diary.Lock(), policies: [onlyFromMail]) { print("locked") }
        }
        return router
    }

    static func serve(_ router: Router) async throws {
        try await router.serve(as: "diary")
    }

    static func run() async throws {
        let entry = try await Diary().run(Diary.AddEntry(), with: .init(text: "Rain"))
        let call = Task { try await Diary().run(Diary.Lock(), timeout: .seconds(600)) }
        call.cancel()
        print(entry.id)
    }

    static func publish() async throws {
        let daemon = Client()
        try await daemon.publish(["id": "7"], to: "diary.saved")
        for try await case .published(_, let items) in try await daemon.publications(of: ["diary.saved"]) {
            print(items["id"] ?? "")
        }
    }

    @Test func anEntryIsAdded() async throws {
        let router = try Self.diaryRouter()
        #expect(try await Diary().run(Diary.AddEntry(), with: .init(text: "Rain"), through: router).id == 4)
        #expect(await router.send("/lock") == .error(CallbackError(.forbidden, "Only for mail.")))
        #expect(await router.handle("diary:/lock", from: .desktop).url.contains("errorCode=403"))
    }
}
