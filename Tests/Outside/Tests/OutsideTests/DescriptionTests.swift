import Testing
import XCallback

/// What a person sees who prints a value.
struct DescriptionTests {
    @Test func aRequestIsItsURLItsRouteAndWhoHasSentIt() async throws {
        let router = try Router(scheme: "notes") { router in
            router.route("/notes/:id") { (request: Request) in
                var tree = ""
                dump(request, to: &tree)
                let hasBuffers = ["storage", "entries", "bytes"].contains { tree.contains($0) }
                return ["text": "\(request)", "hasBuffers": "\(hasBuffers)"]
            }
        }
        let response = await router.handle("notes:/notes/7?title=Milk").response
        guard case .success(let items) = response, let text = items["text"] else {
            Issue.record("\(response)")
            return
        }
        #expect(text.hasPrefix("notes:/notes/7?title=Milk, for notes:/notes/:id, by the socket (user "))
        #expect(items["hasBuffers"] == "false")
    }

    @Test func noDumpShowsBuffers() throws {
        var text = ""
        dump(try ActionURL("notes:/notes/7?title=Milk"), to: &text)
        dump(QueryItems(["title": "Milk"]), to: &text)
        dump(try Callback("app:/done"), to: &text)
        #expect(!text.contains("storage"))
        #expect(!text.contains("bytes"))
        #expect(text.contains("Milk"))
    }
}
