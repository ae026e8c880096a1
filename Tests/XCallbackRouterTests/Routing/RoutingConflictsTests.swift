import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting

struct RoutingConflictsTests {
    typealias Row = (first: String, second: String, isConflict: Bool)

    /// Captures whose names begin with `i` are integers, with `w` words, with `f` flags; `day` is a day of a month.
    static let rows: [Row] = [
        ("/a", "/a", true),
        ("/", "/{a}", true),
        ("/notes/:i/:x", "/notes/:id/:y", true),
        ("/:x", "/:y", true),
        ("/:x/b", "/:y/c", false),
        ("/:x/b", "/a/b", false),
        ("/a:x", "/:xb", false),
        ("/a:x", "/:y\\b", true),
        ("/a-:x", "/:y-b", true),
        ("/\\?:x", "/\\?:y", true),
        ("/:i", "/:f", false),
        ("/:w", "/:f", true),
        ("/:i", "/:x", false),
        ("/:i-:x", "/:y-:w", true),
        ("/*x", "/*y", true),
        ("/*x", "/:y", false),
        ("/*i", "/*w", false),
        ("/*x/b", "/*y/c", false),
        ("/*x/b/*y", "/*x/c/*y", true),
        ("/*x/b/*i", "/*x/c/*w", false),
        ("/a*x", "/*y\\b", true),
        ("/a{/:x}", "/a/:y", true),
        ("/a{/:x}{/b}", "/a{/b}{/:y}", true),
        ("/:x{a}", "/:y", true),
        ("/10-:i", "/:id-99", true),
        ("/:x-:i", "/:i-:y", true),
        ("/2:day", "/:day\\9", true),
        ("/:a.:b", "/:c-:d", true),
        ("/ab*rest", "/ab:x", false),
        ("/:x\u{1F600}", "/\u{1F600}:x", true),
    ]

    /// Pairs without a common action for which more text or another type is asked.
    static let cautious: [Row] = [
        ("/99:day", "/:day\\00", true), ("/x:f", "/:w\\r", true),
        ("/\(many("a")):i", "/:\"i\"\(many("b"))", true),
    ]

    private static func many(_ letter: String) -> String { String(repeating: letter, count: 300) }

    static func type(of name: String) -> CaptureType? {
        if name == "day" { return .day }
        return switch name.first {
        case "i": .int
        case "w": .word
        case "f": .flag
        default: nil
        }
    }

    static func routes(_ patterns: [String]) throws -> [RoutingTable.Entry] {
        try patterns.map { text in
            let pattern = try RoutePattern(text)
            let types = pattern.captures.compactMap { capture in type(of: capture.name).map { (capture.name, $0) } }
            return RoutingTable.Entry(pattern: pattern, types: Dictionary(uniqueKeysWithValues: types))
        }
    }

    private static func conflicts(_ patterns: [String]) throws -> [RoutingConflict] {
        let routes = try routes(patterns)
        do throws(RoutingConflicts) {
            _ = try RoutingTable(routes)
            return []
        } catch {
            return error.conflicts
        }
    }

    @Test(arguments: rows + cautious, [false, true])
    func twoRoutesConflictIfAllTheirSegmentsCanMeet(row: Row, isSwapped: Bool) throws {
        let patterns = isSwapped ? [row.second, row.first] : [row.first, row.second]
        let conflicts = try Self.conflicts(patterns)
        #expect(conflicts.map { [$0.first, $0.second] } == (row.isConflict ? [[0, 1]] : []))
        guard let example = conflicts.first?.example else { return }
        for pattern in patterns {
            #expect(try RoutingTable(Self.routes([pattern])).answer(example, patterns: [pattern]) != nil)
        }
    }

    static let examples: [(first: String, second: String, example: String?)] = [
        ("/", "/{a}", "/"), ("/notes/:i/:x", "/notes/:id/:y", "/notes/0/a"), ("/:w", "/:f", "/true"),
        ("/a-:x", "/:y-b", "/a-a-b"), ("/:i-:x", "/:y-:w", "/0-a"), ("/*x/b", "/*y/b", "/a/b"),
        ("/a{/:x}", "/a/:y", "/a/a"), ("/*x/b/*y", "/*x/c/*y", nil), ("/10-:i", "/:id-99", nil), ("/ü:x", "/ü:y", nil),
    ]

    @Test(arguments: examples)
    func anExampleIsGivenIfFilledCapturesAreOne(first: String, second: String, example: String?) throws {
        expect(try Self.conflicts([first, second]).map(\.example), equals: [example])
    }

    @Test func eachRouteLosesOnce() throws {
        let conflicts = try Self.conflicts(["/a/:x", "/b", "/a/:y", "/b", "/c", "/a/:z"])
        #expect(conflicts.map { [$0.first, $0.second] } == [[0, 2], [0, 5], [1, 3]])
    }

    /// More texts differ after the captures than before them.
    @Test func aTextThatEndsLikeAnotherIsComparedWithIt() throws {
        let conflicts = try Self.conflicts(["/a:x\\bc", "/a:x\\dc", "/ab:x\\c"])
        #expect(conflicts.map { [$0.first, $0.second] } == [[0, 2]])
    }

    @Test(.timeLimit(.minutes(5)))
    func manyConflictsAreCutOff() throws {
        expect(try Self.conflicts((0..<5000).map { "/*x/b\($0)/*y" }).count, equals: RoutingConflicts.limit)
    }

    @Test func alternativesOfOneRouteDoNotConflict() throws {
        expect(try Self.conflicts(["/a{/:x}{/:y}", "/{:z}{b}"])) { $0.isEmpty }
    }

    /// Ten thousand routes that differ in one text, such as people generate.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["/a%/b", "/a%/:x", "/a%/:id", "/a%-:x", "/:x-a%", "/:x/b%.:y", "/a%/*x", "/a%-*x", "/a%{/:x}{/b}"])
    func manyRoutesAreComparedInTheOrderOfTheirTexts(pattern: String) throws {
        let patterns = (10_000..<20_000).map { pattern.replacing("%", with: "\($0)") }
        expect(try Self.conflicts(patterns)) { $0.isEmpty }
        expect(try Self.conflicts(patterns + patterns.suffix(1)).map(\.second), equals: [10_000])
    }
}
