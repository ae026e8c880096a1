import Testing
import XCallbackRouting
import XCallbackTesting

struct RouteExaminationTests {
    private static let types = ["id": CaptureType.int, "from": .word]

    private static func examine(_ pattern: String, _ text: String) throws -> RouteExamination {
        let action = Action(text)
        let route = RoutingTable.Route(pattern: try RoutePattern(pattern), types: types)
        return RouteExamination(of: route, action.bytes.span, segments: action.segments.span)
    }

    private static func captures(_ pattern: String, _ text: String) throws -> [Capture]? {
        if case .matches(let captures) = try examine(pattern, text) { captures } else { nil }
    }

    static let mismatches: [(String, String, RouteMismatch, Int)] = [
        ("/notes", "/", .missing(pattern: "notes"), 0), ("/", "/a", .excess(segment: 0), 0),
        ("/notes/new", "/notes/old", .segment(1, pattern: "new"), 1), ("/a", "/b", .segment(0, pattern: "a"), 0),
        ("/notes/:id", "/notes/x", .type(segment: 1, captures: ["id"]), 1),
        ("/notes/:id", "/notes/7/edit", .excess(segment: 2), 2), ("/notes/:id", "/notes", .missing(pattern: ":id"), 1),
        ("/:from-:to", "/A-b", .type(segment: 0, captures: ["from"]), 0),
        ("/:from-:to", "/ab", .segment(0, pattern: ":from-:to"), 0),
        ("/notes{/:id}/end", "/notes/7/x", .segment(2, pattern: "end"), 2),
        ("/notes{/:id}", "/notes/x", .type(segment: 1, captures: ["id"]), 1),
        ("/a/*path/end", "/a/b/c", .rest(from: 1, pattern: "*path/end"), 1),
        ("/a/*path", "/a", .missing(pattern: "*path"), 1), ("/a/*path", "/b/c", .segment(0, pattern: "a"), 0),
        ("/:\"note id\"/x", "/1/2", .segment(1, pattern: "x"), 1),
        ("/:\"a b\"x", "/a", .segment(0, pattern: ":\"a b\"x"), 0),
    ]

    @Test(arguments: mismatches)
    func theFirstThingThatDoesNotFitIsTold(pattern: String, text: String, mismatch: RouteMismatch, count: Int) throws {
        guard case .differs(let found, let fittingCount) = try Self.examine(pattern, text) else {
            Issue.record("\(pattern) matches \(text)")
            return
        }
        #expect(found == mismatch)
        #expect(fittingCount == count)
    }

    @Test func aMatchHasTheCapturesOfTheTable() throws {
        #expect(
            try Self.captures("/a/:id/*rest", "/a/7/b/c") == [
                Capture(index: 0, range: 1..<2), .init(index: 1, range: 2..<3), .init(index: 1, range: 3..<4),
            ])
    }
}
