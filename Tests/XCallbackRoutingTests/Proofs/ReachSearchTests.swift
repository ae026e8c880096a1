import Testing
import XCallbackRouting
import XCallbackTesting

struct ReachSearchTests {
    private static let types: [String: CaptureType] = ["flag": .flag, "id": .int]

    private static func search(_ patterns: [String]) throws -> (table: RoutingTable, findings: [ReachSearch.Finding]) {
        let routes = try patterns.map { RoutingTable.Route(pattern: try RoutePattern($0), types: types) }
        let table = try RoutingTable(routes)
        return (table, ReachSearch(table, of: routes).unreachableRoutes())
    }

    static let unreachable: [([String], [Int])] = [
        (["/a", "/:x"], []), (["/a/:flag", "/a/true", "/a/false"], [0]), (["/a/:flag", "/a/true"], []),
        (["/*all", "/:a", "/:a/*rest"], [0]), (["/*all", "/:a", "/:a/:b"], []), (["/*all", "/a", "/:a/*rest"], []),
        (["/x/*all", "/:a", "/:a/*rest"], []), (["/*all", "/:id", "/:id/*rest"], []),
        (["/:a{/:b}", "/:a/:id"], []),
        (["/:x/:flag", "/:x/true", "/:x/false"], [0]), (["/:flag/:x", "/true/:x", "/false/:x"], [0]),
        (["/:flag/:x", "/true/*x", "/false/:x"], [0]), (["/:id", "/0", "/1", "/12", "/42", "/-1"], []),
        (["/*all/end", "/:a/end", "/:a/*b/end"], [0]), (["/:a-:b", "/:x", "/a-b"], []),
    ]

    @Test(arguments: unreachable)
    func onlyRoutesWithBetterOnesForAllTheirActionsAreFound(patterns: [String], expected: [Int]) throws {
        do {
            #expect(try Self.search(patterns).findings.map(\.route) == expected)
        } catch let error as RoutingConflicts {
            Issue.record("\(error)")
        }
    }

    @Test func aRouteOfTooManyActionsIsTakenToBeReached() throws {
        let names = (0..<24).map { "flag\($0)" }
        let pattern = "/" + names.map { ":\($0)" }.joined(separator: "-")
        let literal = "/" + names.map { _ in "true" }.joined(separator: "-")
        let types = Dictionary(uniqueKeysWithValues: names.map { ($0, CaptureType.flag) })
        let routes = try [literal, pattern].map { RoutingTable.Route(pattern: try RoutePattern($0), types: types) }
        #expect(ReachSearch(try RoutingTable(routes), of: routes).unreachableRoutes().isEmpty)
    }

    @Test func aBetterRouteIsNamed() throws {
        let findings = try Self.search(["/a", "/a/:flag", "/a/true", "/a/false"]).findings
        #expect(findings.map(\.better) == [2])
    }

    /// All actions of up to four segments over words that stand for every kind of text.
    private static let actions: [String] = {
        let words = ["a", "b", "true", "false", "7", "other"]
        var actions = ["/"]
        var last = [""]
        for _ in 0..<4 {
            last = last.flatMap { action in words.map { "\(action)/\($0)" } }
            actions += last
        }
        return actions
    }()

    @Test func noActionReachesWhatIsFoundAndOneReachesTheRest() throws {
        var random = SeededGenerator(seed: 7)
        let parts = ["/a", "/b", "/:flag", "/:x", "/true", "/false", "/*w"]
        var foundCount = 0
        for _ in 0..<150 {
            let patterns = (0..<6).map { _ in
                var left = parts
                return (0...random.below(2)).map { _ in left.remove(at: random.below(left.count)) }.joined()
            }
            guard let (table, findings) = try? Self.search(patterns) else { continue }
            var reached: Set<Int> = []
            for action in Self.actions {
                if let answer = try table.answer(action, patterns: patterns) { reached.insert(answer.route) }
            }
            let expected = patterns.indices.filter { !reached.contains($0) }
            #expect(findings.map(\.route) == expected, "\(patterns)")
            foundCount += findings.count
        }
        #expect(foundCount > 0)
    }
}
