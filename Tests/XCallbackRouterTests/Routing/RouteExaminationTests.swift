import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting

struct RouteExaminationTests {
    private static let types = ["id": CaptureType.int, "from": .word]

    private static func examine(_ pattern: String, _ text: String) throws -> RouteExamination {
        let action = Action(text)
        let route = RoutingTable.Entry(pattern: try RoutePattern(pattern), types: types)
        return RouteExamination(of: route, action.bytes.span, segments: action.segments)
    }

    private static func captures(_ pattern: String, _ text: String) throws -> [Capture]? {
        if case .matches(let captures) = try examine(pattern, text) { captures } else { nil }
    }

    static let mismatches: [(pattern: String, text: String, mismatch: RouteMismatch, count: Int)] = [
        ("/notes", "/", .missing(pattern: "notes"), 0), ("/", "/a", .excess(found: "a"), 0),
        ("/notes/new", "/notes/old", .segment(found: "old", pattern: "new"), 1),
        ("/a", "/b", .segment(found: "b", pattern: "a"), 0), ("/notes/:id", "/notes/x", .type(captures: ["id"]), 1),
        ("/notes/:id", "/notes/7/edit", .excess(found: "edit"), 2),
        ("/notes/:id", "/notes", .missing(pattern: ":id"), 1),
        ("/:from-:to", "/A-b", .type(captures: ["from"]), 0),
        ("/:from-:to", "/ab", .segment(found: "ab", pattern: ":from-:to"), 0),
        ("/notes{/:id}/end", "/notes/7/x", .segment(found: "x", pattern: "end"), 2),
        ("/notes{/:id}", "/notes/x", .type(captures: ["id"]), 1),
        ("/a/*path/end", "/a/b/c", .rest(found: "b", pattern: "*path/end"), 1),
        ("/a/*path", "/a", .missing(pattern: "*path"), 1),
        ("/a/*path", "/b/c", .segment(found: "b", pattern: "a"), 0),
        ("/:\"note id\"/x", "/1/2", .segment(found: "2", pattern: "x"), 1),
        ("/:\"a b\"x", "/a", .segment(found: "a", pattern: ":\"a b\"x"), 0),
        (
            "/a", "/\(String(repeating: "é", count: 65))",
            .segment(found: "\(String(repeating: "é", count: 64))…", pattern: "a"), 0
        ),
    ]

    @Test(arguments: mismatches)
    func theFirstMismatchIsReported(pattern: String, text: String, mismatch: RouteMismatch, count: Int) throws {
        guard case .differs(let found, let fittingCount) = try Self.examine(pattern, text) else {
            Issue.record("\(pattern) matches \(text)")
            return
        }
        #expect(found == mismatch)
        #expect(fittingCount == count)
    }

    @Test func aMatchHasTheCapturesOfTheTable() throws {
        expect(
            try Self.captures("/a/:id/*rest", "/a/7/b/c"),
            equals: [
                Capture(index: 0, range: 1..<2), .init(index: 1, range: 2..<3), .init(index: 1, range: 3..<4),
            ])
    }
}
