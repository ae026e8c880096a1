import Testing
import XCallbackTesting

/// The cost of loading many routes, as far as it does not depend on the clock.
@Suite(.blocking, .timeLimit(.minutes(20)))
struct LoadCostTests {
    private static let routeCount = 10_000

    /// Returns the instructions of 'xcallback check' for many routes; `%` in a pattern is their number.
    private static func cost(of patterns: [String], input: String = "{}") throws -> Int {
        let directory = try TemporaryDirectory()
        let lines = (0..<routeCount).map { index in
            let pattern = patterns[index % patterns.count].replacing("%", with: "\(routeCount + index)")
            return "  - { route: 'n:\(pattern)', input: \(input), respond: { ok: 1 } }\n"
        }
        try directory.write("schemes: [n]\nroutes:\n" + lines.joined(), to: "config.yaml")
        let words = [try ReleaseBuild.program("xcallback"), "check", "--config", directory.path(of: "config.yaml")]
        return try CountingTool.instructions.count(running: words, in: directory)
    }

    /// Returns a configuration with some policies, and routes in groups of ten, like that of a service.
    private static func configuration(routeCount: Int) -> String {
        let patterns = [
            "items", "items/:id", "items/:id/append", "items/:id/remove", "open", "open/:doc/page/:num", "create",
            "search", "tags/:tag", "files/:name",
        ]
        let routes = (0..<routeCount).map { index in
            "  - route: n:/service\(index / patterns.count)/\(patterns[index % patterns.count])\n"
                + "    respond: { result: ok }\n"
        }
        return """
            schemes: [n]
            middleware: [log]
            policies: [{ user: self }, { rate: 1000000000/s }]
            routes:

            """ + routes.joined()
    }

    /// The recorded costs of starts on Debian 12 and x86-64, with Swift 6.3.1.
    ///
    /// After a change that makes them cheaper, or dearer for a good reason, record the new costs.
    static let starts = [(routeCount: 100, cost: 8_400_000), (routeCount: 10_000, cost: 529_500_000)]

    @Test(arguments: starts)
    func aStartCostsHardlyMoreThanWasRecorded(routeCount: Int, cost: Int) throws {
        let configuration = Self.configuration(routeCount: routeCount)
        let found = try CountingTool.instructions.count(serving: configuration) { _ in }
        #expect(found <= cost + cost * 3 / 100, "\(cost) when it was recorded")
    }

    @Test func segmentsOfTextAndCapturesCostHardlyMoreThanText() throws {
        let literals = try Self.cost(of: ["/a%-x"])
        for patterns in [["/a%-:x"], ["/get-:x.%"], ["/a%*x"], ["/:x-%/0", "/%-:x/1"]] {
            let cost = try Self.cost(of: patterns)
            #expect(cost <= 3 * literals, "\(patterns)")
        }
    }

    @Test func soDoThoseThatDifferInTheMiddle() throws {
        let input = "{ a: int, b: int }"
        let literals = try Self.cost(of: ["/%/:a/:b"], input: input)
        for pattern in ["/:a-x%-:b", "/:a.v%.:b", "/a%/:a-x:b", "/*c/m/*d/x%-:a-:b"] {
            let cost = try Self.cost(of: [pattern], input: input)
            #expect(cost <= 3 * literals, "\(pattern)")
        }
    }
}
