import Logging
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackURL

struct SharedStageTests {
    @Test func routesThatShareTheirStagesHaveTheirOwnRates() throws {
        var router = try Configured(
            """
            schemes: [notes]
            policies: [{ rate: 1/d }]
            routes:
              - { route: notes:/a, respond: { k: v } }
              - { route: notes:/b, respond: { k: v } }
            """)
        let results = try ["/a", "/a", "/b", "/b"].map { try router.result(of: "notes:\($0)").prefix(3) }
        #expect(results == ["k=v", "429", "k=v", "429"])
    }

    @Test func aFaultIsReportedWhereverItStands() {
        let text = """
            schemes: [notes]
            routes:
              - { route: notes:/a, policies: [{ rate: soon }], respond: { k: '{' } }
              - { route: notes:/b, policies: [{ rate: soon }], respond: { k: '{' } }
            """
        #expect(Configured.faults(of: text).map { $0.prefix(4) } == ["3:43", "3:66", "4:43", "4:66"])
    }

    /// The routes of a text that have the same stages as the first one, by their positions.
    private func sharing(_ routes: [String], dropIns: [String] = []) throws -> [Int] {
        let text = "schemes: [notes]\nroutes:\n" + routes.map { "  - { route: 'notes:/\($0) }\n" }.joined()
        let all = try Configured(text, dropIns: dropIns).configuration.pipeline.routes
        return all.indices.dropFirst().filter { all[$0].chain === all[0].chain }
    }

    @Test(arguments: [
        "respond: { k: v }", "policies: [{ user: self }], input: { b: int }, respond: { k: '{b}' }",
        "exec: [true], timeout: 5s", "redirect: 'bear:/a'", "deliver: editor, wait: 5s",
    ])
    func equalRoutesShareTheirStages(text: String) throws {
        #expect(try sharing(["a', \(text)", "b', \(text)", "c', strict: true, \(text)"]) == [1])
        #expect(try sharing(["a/:x', \(text)", "b/:x/c', \(text)", "b/:y', \(text)", "c{/:x}', \(text)"]) == [1])
    }

    @Test func whatDescribesARouteDoesNotMatter() throws {
        let text = "agent: true, effect: read, respond: { k: v }"
        #expect(
            try sharing(["a', description: One, \(text)", "b', description: Two, \(text)", "c', \(text)"]) == [1, 2])
        // A question shows the title.
        #expect(try sharing(["a', title: One, \(text)", "b', title: Two, \(text)"]) == [])
    }

    @Test func bytesDecideWhetherTextsAreEqual() throws {
        let texts = ["\u{E9}", "e\u{301}"]
        #expect(texts[0] == texts[1])
        #expect(try sharing(["a', respond: { k: \(texts[0]) }", "b', respond: { k: \(texts[1]) }"]) == [])
    }

    @Test func aPathIsRelativeToItsFile() throws {
        let route = "exec: ['true'], cwd: . }]\n"
        let configuration = try RouterConfiguration(
            text: "schemes: [notes]\nroutes: [{ route: notes:/a, \(route)", name: "/etc/c.yaml",
            dropIns: [
                (name: "/etc/b.yaml", text: "routes: [{ route: notes:/b, \(route)"),
                (name: "/usr/c.yaml", text: "routes: [{ route: notes:/c, \(route)"),
            ], logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
        let routes = configuration.pipeline.routes
        #expect(routes.count == 3 && Set(routes.map { ObjectIdentifier($0.chain) }).count == 3)
    }

    @Test func routesThatShareAProgramRunItForTheirOwn() async throws {
        let program = "exec: [echo, '{@route}']"
        let routes = "  - { route: notes:/a, \(program) }\n  - { route: notes:/b, \(program) }"
        var router = try Configured(routes: routes, on: ProgramLoop())
        let (first, second) = (router.configuration.pipeline.routes[0], router.configuration.pipeline.routes[1])
        #expect(first.chain === second.chain)
        let results = try await [router.result(awaiting: "notes:/a"), router.result(awaiting: "notes:/b")]
        #expect(results == ["result=notes:/a", "result=notes:/b"])
    }
}
