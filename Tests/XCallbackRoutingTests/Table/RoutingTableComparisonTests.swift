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
            let routes = (0..<Int.random(in: 1...7, using: &generator)).map { _ in Self.route(using: &generator) }
            let table = try NaiveTable(routes)
            for _ in 0..<20 {
                let action = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                    Self.actionSegments.randomElement(using: &generator) ?? ""
                }
                try table.check(action)
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
