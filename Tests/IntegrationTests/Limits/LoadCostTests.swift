import Testing
import XCallbackTesting

/// What it costs to load many routes, as far as that does not depend on the clock.
@Suite(.blocking, .timeLimit(.minutes(20)))
struct LoadCostTests {
    private static let routeCount = 10_000

    /// The instructions of 'xcallback check' for many routes; `%` in a pattern is their number.
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
