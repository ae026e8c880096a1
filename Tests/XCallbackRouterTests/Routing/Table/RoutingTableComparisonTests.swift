import Testing
import XCallbackRouter
import XCallbackTesting

/// Random tables against the naive matcher.
struct RoutingTableComparisonTests {
    private static let pieces = ["a", "b", "-", "1", "12", "true", "31", "32"]
    private static let actionSegments = ["a", "b", "ab", "a-b", "1", "12", "a-1", "1-2-b", "--", "-a-", "aab", "true"]
    private static let chunks = 40

    @Test(.timeLimit(.minutes(60)), arguments: 0..<chunks)
    func aTableAnswersAsTheNaiveMatcherDoes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<10_000 / Self.chunks {
            let routes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in NaiveRoute { generator.below($0) } }
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
            let table = try NaiveTable((0..<4).map { _ in NaiveRoute { generator.below($0) } })
            for action in Self.shortActions { try table.check(action) }
        }
    }
}
