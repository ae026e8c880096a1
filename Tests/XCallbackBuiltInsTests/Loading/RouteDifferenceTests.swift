import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter

struct RouteDifferenceTests {
    private static let old = """
        schemes: [n]
        define: { policies: { p: { require: a } } }
        routes:
          - { route: /a, respond: { x: 1 } }
          - { route: /b, policies: [p], respond: { x: 1 } }
          - group: { prefix: /c, routes: [{ route: /:d, public: true, respond: }] }
        """

    private func difference(to new: String, dropIns: [String] = []) throws -> [String] {
        let old = try Configured(Self.old).configuration
        let new = try Configured(new, dropIns: dropIns).configuration
        return RouteDifference(from: old, to: new).changes.map(\.line)
    }

    @Test func theSameRoutesElsewhereDoNotDiffer() throws {
        let new = """
            schemes: [N]
            policies: []
            routes:
              - { public: true, route: N:/c/:d, respond: }
              # /a is in a file of its own now.
              - policies: require: a
                respond:
                  x: 1
                route: n:/b
            """
        let dropIn = "routes: [{ route: n:/a, enabled: true, respond: { x: 1 } }]"
        expect(try difference(to: new.replacing("require: a", with: "{ require: a }"), dropIns: [dropIn]), equals: [])
    }

    static let changes: [(text: String, other: String, lines: [String])] = [
        ("x: 1 } }\n  - { route: /b", "x: 2 } }\n  - { route: /b", ["~ n:/a (c.yaml:4)"]),
        ("require: a", "require: b", ["~ n:/b (c.yaml:5)"]),
        ("[p]", "[p, p]", ["~ n:/b (c.yaml:5)"]), ("policies: [p], ", "", ["~ n:/b (c.yaml:5)"]),
        ("public: true", "public: false", ["~ n:/c/:d (c.yaml:6)"]),
        ("/c, routes", "/c, policies: p, routes", ["~ n:/c/:d (c.yaml:6)"]),
        ("/c, routes", "/e, routes", ["- n:/c/:d (c.yaml:6)", "+ n:/e/:d (c.yaml:6)"]),
        ("/c, routes", "/c, enabled: false, routes", ["- n:/c/:d (c.yaml:6)"]),
        ("route: /a", "route: /a, enabled: false", ["- n:/a (c.yaml:4)"]),
        (
            "define", "middleware: [log]\ndefine",
            ["~ n:/a (c.yaml:5)", "~ n:/b (c.yaml:6)", "~ n:/c/:d (c.yaml:7)"]
        ),
        ("define", "log: { level: debug }\ndefine", []),
    ]

    @Test(arguments: changes)
    func aChangeIsOneLineARoute(text: String, other: String, lines: [String]) throws {
        expect(try difference(to: Self.old.replacing(text, with: other)), equals: lines)
    }

    @Test func routesThatDifferInTheTypesOfTheirCapturesAreNotOne() throws {
        let text = """
            schemes: [n]
            routes:
              - { route: /a/:b, respond: { x: 1 } }
              - { route: /a/:b, input: { b: int }, respond: { x: 1 } }
              - { route: /a/:b, input: { b: { type: enum, values: [y, z] } }, respond: { x: 1 } }
            """
        let old = try Configured(text).configuration
        #expect(RouteDifference(from: old, to: old).changes.isEmpty)
        let new = try Configured(text.replacing("b: int }, respond: { x: 1", with: "b: int }, respond: { x: 2"))
        let changes = RouteDifference(from: old, to: new.configuration).changes
        #expect(changes.map(\.line) == ["~ n:/a/:b (c.yaml:4)"])
    }

    @Test(arguments: [
        ("callbacks: { allow: [bear] }", ["callbacks"]), ("log: { level: debug }", ["log"]),
        ("limits: { line: 4KiB }", ["limits"]), ("history: false", ["history"]), ("middleware: [log]", ["middleware"]),
        ("callbacks: { allow: [] }\nlimits: { line: 1KiB }", ["callbacks", "limits"]),
    ])
    func whatDiffersBesideTheRoutesIsNamed(_ text: String, _ settings: [String]) throws {
        let routes = "\nroutes: []"
        let old = try Configured("schemes: [n]\(routes)").configuration
        let new = try Configured("schemes: [n]\n\(text)\(routes)").configuration
        #expect(RouteDifference(from: old, to: new).settings == settings)
        #expect(RouteDifference(from: new, to: new).settings == [])
    }

    @Test func schemesThatDifferAreNamed() throws {
        let old = try Configured("schemes: [n]\nroutes: []").configuration
        for text in ["schemes: [n, m]\nroutes: []", "schemes: { n: { hosts: ignore } }\nroutes: []"] {
            let new = try Configured(text).configuration
            #expect(RouteDifference(from: old, to: new).settings == ["schemes"])
        }
    }
}

extension RouteDifference.Change {
    /// One line, such as `+ notes:/ping (config.yaml:7)`.
    fileprivate var line: String { "\(kind.rawValue) \(route.name) (\(route.place))" }
}
