import Testing
import XCallbackBuiltIns
import XCallbackPipeline
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
}
