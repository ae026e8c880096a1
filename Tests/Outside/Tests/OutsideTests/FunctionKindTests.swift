import Testing
import XCallback

/// What functions of routes may take and give.
struct FunctionKindTests {
    struct Note: Codable, Sendable {
        var title: String
    }

    private static let other = try? Router(scheme: "app") { router in router.route("/id") { 7 } }

    @Test func aResponseIsGivenOnWhateverIsTaken() async throws {
        let router = try Router(scheme: "notes") { router in
            router.route("/a") { await Self.other?.send("/id") ?? .cancel }
            router.route("/b") { (note: Note) in await Self.other?.send("/\(note.title)") ?? .cancel }
            router.route("/c") { (request: Request) in await Self.other?.send("/\(request.source ?? "")") ?? .cancel }
            router.route("/d") { (request: Request, note: Note) in
                await Self.other?.send("/\(note.title)") ?? .cancel
            }
            router.route("/e") { () -> Response in .cancel }
            router.route("/f") { (note: Note) -> Response in .cancel }
            router.route("/g") { (request: Request) in .cancel }
            router.route("/h") { (request: Request, note: Note) in
                if note.title.isEmpty { return .cancel }
                return .success(["source": request.source])
            }
            router.route("/i") { (note: Note) -> Response in note.title.isEmpty ? .cancel : .success(["id": "1"]) }
            router.route("/j") { request in .success(["source": request.source]) }
            router.route("/k") { request in "from \(request.source ?? "")" }
            router.route("/l") { request in
                guard let source = request.source else { throw ActionCancelled() }
                return Note(title: source)
            }
            router.route("/m") { request in print(request) }
        }
        let seven = Response.success(["result": "7"])
        #expect(await router.send("/a") == seven)
        #expect(await router.send("/b?title=id") == seven)
        #expect(await router.send("/c?x-source=id") == seven)
        #expect(await router.send("/d?title=id") == seven)
        for action in ["/e", "/f?title=id", "/g", "/h?title=", "/i?title="] {
            #expect(await router.send(action) == .cancel, "\(action)")
        }
        #expect(await router.send("/h?title=id&x-source=mail") == .success(["source": "mail"]))
        #expect(await router.send("/i?title=id") == .success(["id": "1"]))
        #expect(await router.send("/j?x-source=mail") == .success(["source": "mail"]))
        #expect(await router.send("/k?x-source=mail") == .success(["result": "from mail"]))
        #expect(await router.send("/l?x-source=mail") == .success(["title": "mail"]))
        #expect(await router.send("/m") == .success([:]))
    }
}
