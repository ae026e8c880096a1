import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter
import XCallbackTesting
import XCallbackWire

/// What routes and schemes say of themselves.
struct CatalogueTests {
    private static func page(_ text: String, showsPlaces: Bool = true) throws -> JSONValue {
        let configuration = try Configured(text).configuration
        return try list(of: configuration, CatalogueQuery(), showsPlaces: showsPlaces)
    }

    private static func list(
        of configuration: RouterConfiguration, _ query: CatalogueQuery, showsPlaces: Bool = false
    ) throws -> JSONValue {
        let text = configuration.routeList(query, revision: 7, showsPlaces: showsPlaces)
        return try JSONValue(parsing: text.span, maximumSize: text.count)
    }

    private static func route(_ keys: String) throws -> JSONValue {
        let page = try page("schemes: [notes]\nroutes:\n- route: notes:/notes/:id{/*parts}\n\(keys)")
        return try #require(page["routes"]?.elements?.first)
    }

    @Test func aRouteTellsWhatItSays() throws {
        let route = try Self.route(
            """
              title: Append
              description: |
                One.

                Two.
              effect: { kind: add, idempotent: true, open-world: false }
              input: { id: { type: int, min: 1, description: The number }, n: { type: list, of: enum, values: [a, b], default: [a] } }
              returns: { count: int, all: { type: list, of: date, required: false, description: Days } }
              strict: true
              exec: [echo]
              output: json
            """)
        #expect(route["title"]?.text == "Append")
        #expect(route["description"]?.text == "One.\n\nTwo.")
        #expect(route["strict"]?.truth == true)
        #expect(route["id"]?.text == "notes:/notes/:id{/*parts} [\"int\", \"string\"]")
        #expect(route["effect"]?.description == #"{"kind":"add","idempotent":true,"open_world":false}"#)
        let rows = try ["input", "returns"].map { member in
            try #require(route[member]?.elements).map { item in
                ["name", "place", "type", "of", "values", "required", "default", "min", "description"]
                    .map { item[$0]?.description ?? "?" }.joined(separator: " ")
            }
        }
        #expect(
            rows == [
                [
                    #""id" "path" "int" null null true null "1" "The number""#,
                    #""parts" "path" "list" "string" null false null null null"#,
                    #""n" "query" "list" "enum" ["a","b"] false ["a"] null null"#,
                ],
                [
                    #""count" null "int" null null true null null null"#,
                    #""all" null "list" "date" null false null null "Days""#,
                ],
            ])
    }

    @Test func aPartOfTheURLIsNoParameterOfTheQuery() throws {
        let page = try Self.page(
            """
            schemes: { view: { syntax: url } }
            routes:
            - route: view://:host
              agent: view
              description: Views a page.
              input: { host: { type: string, description: The host }, "@port": { type: int, required: false } }
              respond: { port: "{@port}" }
            """)
        let route = try #require(page["routes"]?.elements?.first)
        expect(try #require(route["input"]?.elements).map { $0["name"]?.text }, equals: ["host"])
    }

    static let certain: [(String, String)] = [
        ("  exec: [echo]", #"["result string true"]"#), ("  exec: [echo]\n  output: none", "[]"),
        ("  exec: [echo]\n  output: json", "null"), ("  exec: [echo]\n  detach: true", "[]"),
        ("  publish: saved", #"["reached int true"]"#), ("  deliver: editor", "null"),
        ("  respond: { a: 1, b: '{id}', c: '{parts}' }", #"["a null true","b null true","c null false"]"#),
        ("  respond:", "[]"),
        (
            "  input: { t: string, o: { required: false }, d: { default: x } }\n"
                + "  respond: { t: '{t}', o: '{o}', d: '{d}', u: '{u}' }",
            #"["t null true","o null false","d null true","u null false"]"#
        ),
        ("  redirect: bear:/x\ncallbacks: { allow: [bear] }", "null"), ("  respond: { a: 1 }\n  returns: {}", "[]"),
    ]

    @Test(arguments: certain)
    func withoutAPromiseWhatIsCertainIsReported(keys: String, items: String) throws {
        let returns = try Self.route(keys)["returns"]
        let told = returns?.elements.map { items in
            items.map { item in
                [item["name"]?.text ?? "?", item["type"]?.text ?? "null", item["required"]?.description ?? "?"]
                    .joined(separator: " ")
            }
        }
        #expect((told.map { "\(JSONValue.texts($0))" } ?? "null") == items)
    }

    static let faulty: [(String, String)] = [
        ("title: ''", "4:10: expected some text"),
        ("title: \"a\\nb\"", "4:10: expected one line"),
        ("title: \(String(repeating: "x", count: 81))", "4:10: expected at most 80 characters, found 81"),
        ("description: \"a\\u202Eb\"", "4:16: the text holds U+202E, which is invisible: remove it"),
        ("title: \"a\\u200Bb\"", "4:10: the text holds U+200B, which is invisible: remove it"),
        ("title: \"\\u00A0\\u200D\"", "4:10: expected some text"),
        ("menu: true", "4:3: 'menu: true' needs a 'title', which launchers show"),
        ("icon: \"a\\tb\"", "4:9: the text holds U+0009, which is invisible: remove it"),
        ("effect: write", "4:11: expected read, add or change, found 'write'"),
        ("returns: { x-a: int }", "4:14: an item of an answer cannot be called 'x-a'"),
        ("returns: { a: { type: enum } }", "4:17: an enum needs at least one value"),
        (
            "returns: { a: { min: 1 } }",
            "4:19: unknown key 'min' in a returned item; expected type, of, values, required, secret or description"
        ),
        (
            "input: { \"a\\u200Bb\": int }", "4:12: the name holds U+200B, which is invisible: remove it"
        ),
        (
            "returns: { \"a\\nb\": int }", "4:14: the name holds U+000A, which is invisible: remove it"
        ),
        (
            "input: { a: { type: enum, values: [b, \"c\\U000E0001\"] } }",
            "4:41: the value holds U+E0001, which is invisible: remove it"
        ),
        (
            "returns: { a: { type: enum, values: [\"\\u2069c\"] } }",
            "4:40: the value holds U+2069, which is invisible: remove it"
        ),
        (
            "input: { a: { default: \"c\\U000E0002\" } }",
            "4:26: the value holds U+E0002, which is invisible: remove it"
        ),
        (
            "input: { a: { charset: \"a-z\\U000E0041\" } }",
            "4:26: the charset holds U+E0041, which is invisible: remove it"
        ),
        ("returns: { a: { type: enum, values: [b, c, b] } }", "4:31: the value 'b' is there twice"),
        ("input: { a: { description: [b] } }", "4:30: expected text, found a list"),
    ]

    @Test(arguments: faulty)
    func whatPeopleDoNotSeeIsRefused(key: String, fault: String) {
        let faults = Configured.faults(of: "schemes: [notes]\nroutes:\n- route: notes:/a\n  \(key)\n  respond:\n")
        #expect(faults.contains(fault), "\(faults)")
    }

    /// The names that are shown, and told programs, are those of the route, of its captures and of its items.
    @Test(arguments: ["notes:/a\\U000E0041b", "notes:/:\\\"a\\u202Eb\\\""])
    func aRouteIsSeen(name: String) {
        let faults = Configured.faults(of: "schemes: [notes]\nroutes:\n- route: \"\(name)\"\n  respond:\n")
        #expect(faults.contains { $0.contains("which is invisible: remove it") }, "\(faults)")
    }

    @Test func anItemOfAResponseIsSeen() {
        let text = "schemes: [notes]\nroutes:\n- route: notes:/a\n  respond: { \"a\\u2067\": 1 }\n"
        #expect(
            Configured.faults(of: text) == ["4:14: the name holds U+2067, which is invisible: remove it"])
    }

    @Test func joinersAndScriptsStay() throws {
        let text = "\u{1F469}\u{200D}\u{1F4BB} \u{645}\u{200C}\u{646}"
        expect(try Self.route("  title: \"\(text)\"\n  respond:")["title"], equals: .string(text))
    }

    @Test func schemesHaveTextsOfWhicheverFile() throws {
        let page = try Self.page("schemes: { notes: { title: Notes, description: A folder. }, todo: }\nroutes: []\n")
        #expect(
            page["schemes"]?.description
                == #"[{"scheme":"notes","title":"Notes","description":"A folder."},{"scheme":"todo","title":null,"description":null}]"#
        )
        let main = "schemes: { notes: { title: Notes } }\n"
        let faults = Configured.faults(of: main, dropIns: ["schemes: { notes: { title: Other } }\n"])
        #expect(faults.contains { $0.contains("the scheme 'notes' has other settings elsewhere") }, "\(faults)")
        #expect(Configured.faults(of: main, dropIns: ["schemes: { notes: { description: More } }\n"]).isEmpty)
    }

    @Test func aQuerySelectsRoutes() throws {
        let routes = (0..<400).map { "- { route: \"notes:/r\($0)/:id\", description: Text, respond: }\n" }
        let configuration = try Configured("schemes: [notes, todo]\nroutes:\n\(routes.joined())").configuration
        let all = try Self.list(of: configuration, CatalogueQuery())
        #expect(
            all["routes"]?.elements?.compactMap { $0["route"]?.text } == configuration.pipeline.routes.map(\.name))
        #expect(all["routes"]?.elements?.allSatisfy { $0["place"] == .null } == true)
        #expect(all["revision"]?.integer == 7 && all["schemes"]?.elements?.count == 2)
        let query = CatalogueQuery(schemes: ["NOTES"], prefix: "notes:/r39")
        expect(try Self.list(of: configuration, query)["routes"]?.elements?.count, equals: 11)
        let none = try Self.list(of: configuration, CatalogueQuery(schemes: ["todo"]))
        #expect(none["routes"] == .array([]))
    }

    @Test func aUserSeesTheRoutesThatTheUserMayOpen() throws {
        let text = """
            schemes: [notes, todo]
            routes:
            - { route: notes:/all, policies: [{ rate: 1/s }], respond: }
            - { route: notes:/own, policies: [{ user: 1000 }, { group: [7, 8] }], respond: }
            - { route: notes:/others, policies: [{ user: 4711 }], respond: }
            - { route: todo:/a, policies: [{ group: 4711 }], respond: }
            """
        let viewer = Viewer(Peer(userID: 1000, groupID: 100, processID: 42), groups: [8])
        let list = try Self.list(of: try Configured(text).configuration, CatalogueQuery(by: viewer))
        #expect(list["routes"]?.elements?.compactMap { $0["route"]?.text } == ["notes:/all", "notes:/own"])
        #expect(list["schemes"]?.elements?.compactMap { $0["scheme"]?.text } == ["notes"])
    }
}
