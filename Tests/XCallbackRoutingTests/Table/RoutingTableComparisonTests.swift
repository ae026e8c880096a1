import Testing
import XCallbackRouting
import XCallbackTesting

/// Random tables against the naive matcher.
struct RoutingTableComparisonTests {
    private static let texts = ["a", "b", "-", "a-", "ab", "1"]
    private static let actionSegments = ["a", "b", "ab", "a-b", "1", "12", "a-1", "1-2-b", "--", "-a-", "aab"]

    @Test(.timeLimit(.minutes(10)), arguments: 0..<40)
    func aTableAnswersAsTheNaiveMatcherDoes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<25 {
            var routes = (0..<Int.random(in: 1...7, using: &generator)).map { _ in Self.route(using: &generator) }
            let table = try Self.table(of: &routes)
            for _ in 0..<20 {
                let action = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                    Self.actionSegments.randomElement(using: &generator) ?? ""
                }
                try Self.compare(table, routes, action)
            }
        }
    }

    private static func compare(_ table: RoutingTable, _ routes: [NaiveRoute], _ action: [String]) throws {
        let patterns = routes.map(\.pattern)
        let answer = try table.answer("/" + action.joined(separator: "/"), patterns: patterns)
        let matches = routes.map { $0.match(action) }
        let best = matches.indices.filter { matches[$0] != nil }.min { left, right in
            guard let one = matches[left], let other = matches[right] else { return false }
            return NaiveRoute.precedes(one.ranks, other.ranks)
        }
        #expect(answer?.route == best, "\(patterns) on \(action)")
        guard let best, answer?.route == best else { return }
        #expect(answer?.captures == matches[best]?.captures, "\(patterns) on \(action)")
        let ties = matches.indices.filter { matches[$0]?.ranks == matches[best]?.ranks }
        #expect(ties == [best], "\(patterns) on \(action) without a conflict")
    }

    /// Makes a table after it has removed routes that conflict, and checks that these really do.
    private static func table(of routes: inout [NaiveRoute]) throws -> RoutingTable {
        while true {
            do throws(RoutingConflicts) {
                let list = try? routes.map {
                    RoutingTable.Route(pattern: try RoutePattern($0.pattern), types: $0.types)
                }
                return try RoutingTable(list ?? [])
            } catch {
                for conflict in error.conflicts {
                    let action = conflict.witness.split(separator: "/").map(String.init)
                    let first = routes[conflict.first].match(action)
                    let second = routes[conflict.second].match(action)
                    #expect(first != nil && first?.ranks == second?.ranks, "\(conflict)")
                }
                routes.remove(at: error.conflicts[0].second)
            }
        }
    }

    private static func route(using generator: inout SeededGenerator) -> NaiveRoute {
        let count = Int.random(in: 0...4, using: &generator)
        var names = 0
        let segments = (0..<count).map { _ in segment(&names, using: &generator) }
        guard count > 0, Int.random(in: 0..<3, using: &generator) == 0 else {
            return NaiveRoute(segments: segments, group: 0..<0)
        }
        let start = Int.random(in: 0..<count, using: &generator)
        return NaiveRoute(segments: segments, group: start..<Int.random(in: (start + 1)...count, using: &generator))
    }

    private static func segment(_ names: inout Int, using generator: inout SeededGenerator) -> [NaiveRoute.Part] {
        let form = ["t", "t", "c", "c", "tc", "ct", "ctc", "tctct", "ctctc"].randomElement(using: &generator) ?? "t"
        let isTyped = Int.random(in: 0..<3, using: &generator) == 0
        var wildcards = 0
        var parts = form.map { kind -> NaiveRoute.Part in
            if kind == "t" { return .text(texts.randomElement(using: &generator) ?? "a") }
            names += 1
            let type: CaptureType? = isTyped ? [.int, .word].randomElement(using: &generator) : nil
            if Int.random(in: 0..<3, using: &generator) > 0 { return .parameter("p\(names)", type) }
            wildcards += 1
            return .wildcard("w\(names)", type)
        }
        if wildcards > 1 {
            // What types do between two wildcards of one segment is not part of the rule.
            parts = parts.map { part in
                switch part {
                case .text: part
                case .parameter(let name, _): .parameter(name, nil)
                case .wildcard(let name, _): .wildcard(name, nil)
                }
            }
        }
        return parts
    }
}
