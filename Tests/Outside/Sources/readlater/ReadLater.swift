import XCallback

@main
struct ReadLater {
    static let list = ReadingList()

    static func router() throws -> Router {
        try Router(scheme: "readlater", callbacks: ["app"]) { router in
            router.route("/save", isPublic: true) { (page: Page) in try await list.save(page) }
            router.route("/count", isPublic: true) { await list.count }
        }
    }

    static func main() async throws {
        let router = try router()
        for url in CommandLine.arguments.dropFirst() {
            try await router.handle(url, from: .desktop).open()
        }
    }
}

struct Page: Codable, Sendable {
    var url: String
}

actor ReadingList {
    private var pages: [Page] = []

    var count: Int { pages.count }

    func save(_ page: Page) throws {
        guard page.url.contains(":") else { throw CallbackError(.badParameter, "Invalid URL") }
        pages.append(page)
    }
}
