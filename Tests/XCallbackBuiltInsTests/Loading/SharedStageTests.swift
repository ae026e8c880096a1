import Testing
import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackURL

struct SharedStageTests {
    /// Routes, and whether the first two of them have one chain.
    static let pairs: [(String, String, Bool)] = [
        ("{ route: notes:/a, respond: { k: v } }", "{ route: notes:/b/:c, respond: { k: v } }", true),
        ("{ route: notes:/a, respond: { k: v } }", "{ route: notes:/b, respond: { k: w } }", false),
        ("{ route: notes:/a, respond: { k: [v] } }", "{ route: notes:/b, respond: { k: [v, v] } }", false),
        ("{ route: notes:/a, respond: { k: v } }", "{ route: notes:/b, respond: { l: v } }", false),
        ("{ route: notes:/a, respond: { k: v } }", "{ route: notes:/b, redirect: \"notes:/a\" }", false),
        ("{ route: notes:/a/:b, respond: { k: '{b}' } }", "{ route: notes:/c/*b, respond: { k: '{b}' } }", false),
        (
            "{ route: notes:/a, policies: [{ rate: 1/s }], respond: }",
            "{ route: notes:/b, policies: [{ rate: 1/s }], respond: }", true
        ),
        (
            "{ route: notes:/a, policies: [{ rate: 1/s }], respond: }",
            "{ route: notes:/b, policies: [{ rate: 2/s }], respond: }", false
        ),
        (
            "{ route: notes:/a, policies: [{ user: self }], respond: }",
            "{ route: notes:/b, middleware: [log], policies: [{ user: self }], respond: }", false
        ),
        (
            "{ route: notes:/a, policies: [{ require: x }], respond: }",
            "{ route: notes:/b, policies: [{ require: x }], respond: }", false
        ),
        ("{ route: notes:/a, input: { n: int }, respond: }", "{ route: notes:/b, input: { m: int }, respond: }", false),
    ]

    @Test(arguments: pairs)
    func routesThatSayTheSameShareTheirChain(first: String, second: String, isShared: Bool) throws {
        let router = try Configured(routes: "  - \(first)\n  - \(second)\n")
        let routes = router.configuration.pipeline.routes
        #expect((routes[0].chain === routes[1].chain) == isShared)
    }

    @Test func manyDifferentStagesAreSharedToo() throws {
        let lines = (0..<40).map {
            "  - { route: notes:/a\($0), policies: [{ rate: \($0 % 20 + 1)/s }], respond: { k: \($0 % 20) } }\n"
        }
        let routes = try Configured(routes: lines.joined()).configuration.pipeline.routes
        for index in 0..<20 { #expect(routes[index].chain === routes[index + 20].chain) }
        #expect(Set(routes.map { ObjectIdentifier($0.chain) }).count == 20)
    }

    @Test func aSharedRateIsUsedUpForEachRoute() throws {
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

    @Test func aFaultIsToldWhereverItStands() {
        let text = """
            schemes: [notes]
            routes:
              - { route: notes:/a, policies: [{ rate: soon }], respond: { k: '{' } }
              - { route: notes:/b, policies: [{ rate: soon }], respond: { k: '{' } }
            """
        #expect(Configured.faults(of: text).map { $0.prefix(4) } == ["3:43", "3:66", "4:43", "4:66"])
    }
}
