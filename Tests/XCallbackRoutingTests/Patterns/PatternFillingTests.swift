import Testing
import XCallbackRouting
import XCallbackTesting

/// What a pattern is filled with is what it matches, or it is refused.
struct PatternFillingTests {
    private typealias Values = [(name: String, values: [String])]

    static let filled: [(String, KeyValuePairs<String, [String]>, [String])] = [
        ("/", [:], []), ("/a/b", [:], ["a", "b"]), ("/notes/:id/append", ["id": ["7"]], ["notes", "7", "append"]),
        ("/notes/:id{/:part}", ["id": ["7"]], ["notes", "7"]),
        ("/notes/:id{/:part}", ["id": ["7"], "part": ["x y"]], ["notes", "7", "x y"]),
        ("{/:user/}notes", [:], ["notes"]), ("{/:user/}notes", ["user": ["ada"]], ["ada", "notes"]),
        ("/list/*tags", ["tags": ["a/b", "\u{FC}"]], ["list", "a/b", "\u{FC}"]),
        ("/list/*tags", ["tags": ["a"], "other": ["b"]], ["list", "a"]),
        ("/:from-:to", ["from": ["a-b"], "to": ["c"]], ["a-b-c"]),
        ("/v:major.:minor{.:patch}", ["major": ["1"], "minor": ["2"]], ["v1.2"]),
        ("/a{/all}", [:], ["a"]), ("/:a/*rest.txt", ["a": ["x"], "rest": ["b", "c"]], ["x", "b", "c.txt"]),
    ]

    @Test(arguments: filled.indices)
    func aPatternIsFilled(index: Int) throws {
        let (pattern, values, segments) = Self.filled[index]
        #expect(try RoutePattern(pattern).segments(filledWith: values.map { ($0.key, $0.value) }) == segments)
    }

    static let refused: [(String, KeyValuePairs<String, [String]>, String)] = [
        ("/notes/:id", [:], "parameter 'id' is missing: the path needs it"),
        ("/a{/:x{/:y}}", ["y": ["1"]], "parameter 'y' needs 'x' beside it in the path"),
        ("/:a", ["a": [""]], "parameter 'a' is empty: it stands in the path, where nothing may be empty"),
        ("/:a", ["a": []], "parameter 'a' is empty: it stands in the path, where nothing may be empty"),
        ("/:a", ["a": ["1", "2"]], "parameter 'a' has several values, and has room for one in the path"),
        ("/x/:a", ["a": [".."]], "parameter 'a' would be '.' or '..' in the path, which cannot carry that"),
        ("/:a.", ["a": ["."]], "parameter 'a' would be '.' or '..' in the path, which cannot carry that"),
        ("/:from-:to", ["from": ["a"], "to": ["b-c"]], "the path would be read as other values of 'from' and 'to'"),
        ("/*a/*b", ["a": ["1"], "b": ["2", "3"]], "the path would be read as other values of 'a' and 'b'"),
        ("{/:a}{/:b}", ["b": ["1"]], "the path would be read as other values of 'b'"),
    ]

    @Test(arguments: refused.indices)
    func whatCannotStandInThePathIsRefused(index: Int) throws {
        let (pattern, values, message) = Self.refused[index]
        let error = try #require(throws: PatternFillingError.self) {
            try RoutePattern(pattern).segments(filledWith: values.map { ($0.key, $0.value) })
        }
        #expect("\(error)" == message)
    }

    // MARK: - All patterns and values

    private static let texts = ["a", "b", "-", ".", "ab", "1"]
    private static let pieces = [
        "a", "b", "-", "a-b", "1", ".", "..", "a/b", "\u{E9}", "\u{1F600}", "%2F", " ", "", "a.b", "--",
    ]
    private static let chunkCount = 20
    private static let caseCount = 100_000

    /// A pattern with groups, and what its captures may be given.
    private static func pattern(using generator: inout SeededGenerator) -> String {
        var text = ""
        var (names, openGroups) = (0, 0)
        for _ in 0..<1 + generator.below(4) {
            if generator.below(4) == 0 {
                text += "{"
                openGroups += 1
            }
            text += "/"
            for part in 0..<1 + generator.below(3) {
                if part % 2 == generator.below(2) {
                    text += texts[generator.below(texts.count)].replacing(".", with: "\\.")
                } else {
                    text += "\(generator.below(3) > 0 ? ":" : "*")c\(names)"
                    names += 1
                }
            }
            if openGroups > 0, generator.below(3) > 0 {
                text += "}"
                openGroups -= 1
            }
        }
        return text + String(repeating: "}", count: openGroups)
    }

    @Test(.timeLimit(.minutes(10)), arguments: 0..<chunkCount)
    func whatIsFilledMatchesWithTheSameValues(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var (filledCount, refusedCount) = (0, 0)
        for _ in 0..<Self.caseCount / Self.chunkCount {
            // Not every text is a pattern: two captures may stand side by side.
            guard let pattern = try? RoutePattern(Self.pattern(using: &generator)) else { continue }
            var values: Values = []
            for capture in pattern.captures where !capture.isOptional || generator.below(2) == 0 {
                let count = capture.isWildcard ? 1 + generator.below(3) : 1
                values.append((capture.name, (0..<count).map { _ in Self.pieces[generator.below(Self.pieces.count)] }))
            }
            let segments: [String]
            do throws(PatternFillingError) {
                segments = try pattern.segments(filledWith: values)
            } catch {
                refusedCount += 1
                continue
            }
            filledCount += 1
            let escaped = segments.map {
                "/" + $0.utf8.map { "%" + String(256 + Int($0), radix: 16).dropFirst() }.joined()
            }
            let answer = try RoutingTable([pattern.text]).answer(escaped.joined(), patterns: [pattern.text])
            let expected = Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.values) })
            try #require(answer == Answer(route: 0, captures: expected), "\(pattern.text) \(values)")
        }
        #expect(filledCount > 500 && refusedCount > 500, "\(filledCount) \(refusedCount)")
    }
}
