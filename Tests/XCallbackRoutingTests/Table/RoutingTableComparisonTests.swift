import Glibc
import Testing
import XCallbackRouting
import XCallbackTesting

/// Random tables against the naive matcher.
///
/// `ROUTING_TABLES=100000` makes as many tables as that, others than those of each run.
struct RoutingTableComparisonTests {
    private static let texts = ["a", "b", "-", "a-", "ab", "1", "--"]
    private static let types: [CaptureType] = [.int, .word, .flag, .day]
    private static let pieces = ["a", "b", "-", "1", "12", "true", "31", "32"]
    private static let actionSegments = ["a", "b", "ab", "a-b", "1", "12", "a-1", "1-2-b", "--", "-a-", "aab", "true"]
    private static let chunks = 40
    private static let extraTables = getenv("ROUTING_TABLES").flatMap { Int(String(cString: $0)) }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<chunks)
    func aTableAnswersAsTheNaiveMatcherDoes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed + (Self.extraTables == nil ? 0 : 1000)))
        for _ in 0..<(Self.extraTables ?? 10_000) / Self.chunks {
            let routes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in Self.route(using: &generator) }
            let table = try NaiveTable(routes)
            for route in routes {
                for _ in 0..<3 { try table.check(route.action(of: Self.pieces, using: &generator)) }
            }
            for _ in 0..<5 {
                let action = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    Self.actionSegments.randomElement(using: &generator) ?? ""
                }
                try table.check(action)
            }
        }
    }

    /// All actions of up to two segments, each of up to two letters of those in the patterns.
    private static let shortActions: [[String]] = {
        let letters = ["a", "b", "-", "1"]
        let words = letters + letters.flatMap { first in letters.map { first + $0 } }
        return [[]] + words.map { [$0] } + words.flatMap { first in words.map { [first, $0] } }
    }()

    @Test(.timeLimit(.minutes(10)), arguments: 0..<4)
    func noConflictIsMissedAmongAllShortActions(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let table = try NaiveTable((0..<4).map { _ in Self.route(using: &generator) })
            for action in Self.shortActions { try table.check(action) }
        }
    }

    private static func route(using generator: inout SeededGenerator) -> NaiveRoute {
        let count = Int.random(in: 0...3, using: &generator)
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
        return form.map { kind in
            if kind == "t" { return .text(texts.randomElement(using: &generator) ?? "a") }
            names += 1
            let type = isTyped ? types.randomElement(using: &generator) : nil
            let isParameter = Int.random(in: 0..<3, using: &generator) > 0
            return isParameter ? .parameter("p\(names)", type) : .wildcard("w\(names)", type)
        }
    }
}
