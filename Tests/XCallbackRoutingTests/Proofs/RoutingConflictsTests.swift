import Testing
import XCallbackRouting
import XCallbackTesting

struct RoutingConflictsTests {
    struct Row: Sendable {
        let first: String
        let second: String
        let witness: String?

        init(_ first: String, _ second: String, _ witness: String?) {
            self.first = first
            self.second = second
            self.witness = witness
        }
    }

    /// Captures whose names begin with `i` are integers, with `w` words, with `f` flags; `day` is a day of a month.
    static let rows: [Row] = [
        Row("/a", "/a", "/a"),
        Row("/", "/{a}", "/"),
        Row("/notes/:i/:x", "/notes/:id/:y", "/notes/0/a"),
        Row("/:x", "/:y", "/a"),
        Row("/:x/b", "/:y/c", nil),
        Row("/:x/b", "/a/b", nil),
        Row("/a:x", "/:xb", nil),
        Row("/a:x", "/:y\\b", "/ab"),
        Row("/a:x", "/b:y", nil),
        Row("/a-:x", "/:y-b", "/a-b"),
        Row("/\\?:x", "/\\?:y", "/%3Fa"),
        Row("/ü:x", "/ü:y", "/%C3%BCa"),
        Row("/.:x", "/:y.", "/.a."),
        Row("/:i", "/:w", nil),
        Row("/:i", "/:f", nil),
        Row("/:w", "/:f", "/true"),
        Row("/:i", "/:x", nil),
        Row("/:i-:x", "/:y-:w", "/0-a"),
        Row("/*x", "/*y", "/a"),
        Row("/*x", "/:y", nil),
        Row("/*i", "/*w", nil),
        Row("/*x/b", "/*y/c", nil),
        Row("/*x/b/*y", "/*x/c/*y", "/a/c/b/a"),
        Row("/p/*x/b/*y", "/q/*x/c/*y", nil),
        Row("/*x/b/*y/p", "/*x/c/*y/q", nil),
        Row("/*x/b/*i", "/*x/c/*w", nil),
        Row("/a*x", "/*y\\b", "/ab"),
        Row("/*x-*y", "/*z-*u", "/a-a"),
        Row("/a{/:x}", "/a/:y", "/a/a"),
        Row("/a{/:x}{/b}", "/a{/b}{/:y}", "/a/b"),
        Row("/:x{a}", "/:y", "/a"),
        Row("/:a", "/:b", "/a"),
        Row("/10-:i", "/:id-99", "/10-99"),
        Row("/1:i", "/:id\\2", "/12"),
        Row("/:x-:i", "/:i-:y", "/0-0"),
        Row("/99:day", "/:day\\00", nil),
        Row("/2:day", "/:day\\9", "/29"),
        Row("/:a.:b", "/:c-:d", "/a.-a"),
        Row("/:a-b-:c", "/:d-:e-x", "/a-b-x"),
        Row("/ab*rest", "/ab:x", nil),
        Row("/:x\u{1F600}", "/\u{1F600}:x", "/%F0%9F%98%80%F0%9F%98%80"),
    ]

    static func type(of name: String) -> CaptureType? {
        if name == "day" { return .day }
        return switch name.first {
        case "i": .int
        case "w": .word
        case "f": .flag
        default: nil
        }
    }

    static func routes(_ patterns: [String]) throws -> [RoutingTable.Route] {
        try patterns.map { text in
            let pattern = try RoutePattern(text)
            let types = pattern.captures.compactMap { capture in type(of: capture.name).map { (capture.name, $0) } }
            return RoutingTable.Route(pattern: pattern, types: Dictionary(uniqueKeysWithValues: types))
        }
    }

    @Test(arguments: rows, [false, true])
    func twoRoutesConflictIfAWitnessExists(row: Row, isSwapped: Bool) throws {
        let patterns = isSwapped ? [row.second, row.first] : [row.first, row.second]
        let routes = try Self.routes(patterns)
        do throws(RoutingConflicts) {
            _ = try RoutingTable(routes)
            #expect(row.witness == nil)
        } catch {
            #expect(error.conflicts.map(\.first) == [0])
            #expect(error.conflicts.map(\.second) == [1])
            #expect(row.witness != nil)
            if !isSwapped { #expect(error.conflicts.map(\.witness) == [row.witness]) }
        }
    }

    @Test(arguments: rows.filter { $0.witness != nil })
    func bothRoutesAnswerTheWitness(row: Row) throws {
        for pattern in [row.first, row.second] {
            let table = try RoutingTable(try Self.routes([pattern]))
            #expect(try table.answer(row.witness ?? "", patterns: [pattern]) != nil)
        }
    }

    @Test
    func allConflictsAreToldAtOnce() throws {
        let routes = try Self.routes(["/a/:x", "/b", "/a/:y", "/b", "/c", "/a/:z"])
        let error = try #require(throws: RoutingConflicts.self) { try RoutingTable(routes) }
        #expect(error.conflicts.map { [$0.first, $0.second] } == [[0, 2], [0, 5], [1, 3]])
        #expect(error.description.hasPrefix("routes 0 and 2 both answer /a/a, "))
    }

    @Test(.timeLimit(.minutes(10)))
    func manyConflictsAreCutOff() throws {
        let routes = try Self.routes((0..<5000).map { "/*x/b\($0)/*y" })
        let error = try #require(throws: RoutingConflicts.self) { try RoutingTable(routes) }
        #expect(error.conflicts.count == RoutingConflicts.limit)
    }

    @Test
    func alternativesOfOneRouteDoNotConflict() throws {
        _ = try RoutingTable(["/a{/:x}{/:y}", "/{:z}{b}"])
    }
}
