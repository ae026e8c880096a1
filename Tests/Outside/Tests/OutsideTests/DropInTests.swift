import FoundationEssentials
import Testing
import XCallback

/// The configuration that a router writes for the daemon.
struct DropInTests {
    enum Color: String, Codable, CaseIterable, Sendable {
        case red
        case deepBlue = "deep blue"
    }

    struct Author: Codable, Sendable {
        var name: String
    }

    struct Note: Codable, Sendable {
        var title: String
        var isDone: Bool?
        var body: String?
        var count: Int?
        var priority: Int8
        var price: Decimal?
        var due: Date?
        var link: URL?
        var key: UUID?
        var picture: Data?
        var color: Color?
        var tags: [String]
        var numbers: Set<Int>?
        var author: Author?
    }

    struct Key: Codable, Sendable {
        var id: Int
    }

    static let text = """
        # The routes of notebook, which are delivered to my-app. The program has written this file.
        schemes: [notebook, other]
        routes:
          - route: "notebook:/notes/:id"
            deliver: my-app
            wait: "5s"
            public: true
            input:
              id: int
          - route: "notebook:/add"
            deliver: my-app
            wait: "5s"
            # It takes more than can be declared here: author.
            input:
              title: string
              is-done: { type: bool, required: false }
              body: { type: string, required: false }
              count: { type: int, required: false }
              priority: { type: int, min: -128, max: 127 }
              price: { type: number, required: false }
              due: { type: date, required: false }
              link: { type: url, required: false }
              key: { type: uuid, required: false }
              picture: { type: data, required: false }
              color: { type: enum, values: [red, "deep blue"], required: false }
              tags: { type: list, of: string }
              numbers: { type: list, of: int, required: false }
          - route: "notebook:/say"
            deliver: my-app
            wait: "5s"
            input:
              value: string
          - route: "notebook:/any/*rest"
            deliver: my-app
            wait: "5s"
          - route: "other:/a/b"
            deliver: my-app
            wait: "5s"

        """

    static func router() throws -> Router {
        try Router(scheme: "notebook", style: QueryStyle(keys: .kebabCase)) { router in
            router.route("/notes/:id", isPublic: true) { (key: Key) in key }
            router.route("/add") { (note: Note) in note }
            router.route("/say") { (text: String) in text }
            router.route("/any/*rest") { (request: Request) in request.parameters.count }
            router.group("/a", scheme: "other") { group in group.route("/b") {} }
        }
    }

    @Test func itHasTheRoutesAndTheirInputs() throws {
        let text = try Self.router().dropIn(deliveringTo: "my-app", wait: "5s")
        #expect(text == Self.text)
    }
}
