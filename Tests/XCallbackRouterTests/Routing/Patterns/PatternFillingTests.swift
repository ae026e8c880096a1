import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting

/// What a pattern is filled with is what it matches, or it is refused.
struct PatternFillingTests {
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
        let route = try RoutePattern(pattern)
        expect(try route.segments(filledWith: values.map { ($0.key, $0.value) }), equals: segments)
        let escaped = segments.map { "/" + $0.utf8.map { "%" + String(256 + Int($0), radix: 16).dropFirst() }.joined() }
        let answer = try RoutingTable([pattern]).answer(escaped.isEmpty ? "/" : escaped.joined(), patterns: [pattern])
        let captures = values.filter { value in route.captures.contains { $0.name == value.key } }
        #expect(answer == Answer(route: 0, captures: Dictionary(uniqueKeysWithValues: captures.map { ($0, $1) })))
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
}
