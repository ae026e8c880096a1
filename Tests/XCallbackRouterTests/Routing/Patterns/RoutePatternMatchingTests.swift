import Testing
import XCallbackRouter

/// What single patterns answer and capture.
struct RoutePatternMatchingTests {
    typealias Row = (pattern: String, action: String, captures: [String: [String]]?)

    static let segments: [Row] = [
        ("/", "/", [:]),
        ("/notes", "/notes", [:]),
        ("/notes/", "/notes", [:]),
        ("/notes", "/Notes", nil),
        ("/notes", "/notes/a", nil),
        ("/über", "/%C3%BCber", [:]),
        ("/a b", "/a%20b", [:]),
        ("/a\\%20b", "/a%20b", nil),
        ("/a\\%20b", "/a%2520b", [:]),
        ("/a\\/b", "/a%2Fb", [:]),
        ("/a\\/b", "/a/b", nil),
        ("/\\:id\\*\\{\\}\\\\", "/:id*{}\\", [:]),
        ("/notes/:id", "/notes/7", ["id": ["7"]]),
        ("/notes/:id", "/notes/a%2Fb", ["id": ["a/b"]]),
        ("/notes/:id", "/notes/7/8", nil),
        ("/:\"note id\"", "/7", ["note id": ["7"]]),
        ("/:a\u{200D}b", "/7", ["a\u{200D}b": ["7"]]),
    ]

    static let partly: [Row] = [
        ("/:from-:to", "/a-b", ["from": ["a"], "to": ["b"]]),
        ("/:from-:to", "/a-b-c", ["from": ["a-b"], "to": ["c"]]),
        ("/:from-:to", "/a-", nil),
        ("/:a-:b-:c", "/1-2-3-4", ["a": ["1-2"], "b": ["3"], "c": ["4"]]),
        ("/v:major.:minor", "/v1.2", ["major": ["1"], "minor": ["2"]]),
        ("/:name.txt", "/.txt", nil),
        ("/:a\\/:b", "/1%2F2", ["a": ["1"], "b": ["2"]]),
    ]

    static let wildcards: [Row] = [
        ("/files/*path", "/files/a/b%2Fc/d", ["path": ["a", "b/c", "d"]]),
        ("/files/*path", "/files", nil),
        ("/*all", "/", nil),
        ("/*path/end", "/a/end/end", ["path": ["a", "end"]]),
        ("/*a/x/*b", "/1/x/2/x/3", ["a": ["1", "x", "2"], "b": ["3"]]),
        ("/files/*path.txt", "/files/a/b.txt", ["path": ["a", "b"]]),
        ("/files/*path.txt", "/files/a/.txt", nil),
        ("/a-*rest", "/a-b/c", ["rest": ["b", "c"]]),
        ("/:a-*rest", "/x-y-z/w", ["a": ["x"], "rest": ["y-z", "w"]]),
        ("/*a-:b", "/x/y-z-w", ["a": ["x", "y-z"], "b": ["w"]]),
        ("/:a-*b.:c", "/1-2-3.4.5", ["a": ["1"], "b": ["2-3.4"], "c": ["5"]]),
        ("/*a-*b", "/0/1-2-3/4", ["a": ["0", "1-2"], "b": ["3", "4"]]),
        ("/:x-*a-:y-*b", "/1-2/3-4-5-6", ["x": ["1"], "a": ["2", "3-4"], "y": ["5"], "b": ["6"]]),
        ("/:x-*a-:y-*b", "/1-2-3-4/5-6", ["x": ["1"], "a": ["2"], "y": ["3"], "b": ["4", "5-6"]]),
    ]

    static let groups: [Row] = [
        ("/a{/:b}", "/a", [:]),
        ("/a{/:b}", "/a/1", ["b": ["1"]]),
        ("/a{/:b{/:c}}", "/a/1/2", ["b": ["1"], "c": ["2"]]),
        ("/a{/:b{/:c}}", "/a/1", ["b": ["1"]]),
        ("/a{b}c", "/abc", [:]),
        ("/a{b}c", "/ac", [:]),
        ("/:a{-:b}", "/1-2", ["a": ["1"], "b": ["2"]]),
        ("/:a{-:b}-:c", "/1-2-3", ["a": ["1"], "b": ["2"], "c": ["3"]]),
        ("{/:a/}x", "/1/x", ["a": ["1"]]),
        ("{/:a/}x", "/x", [:]),
        ("/a{/*rest}/z", "/a/z", [:]),
        ("{/:a}{/:b}", "/1", ["a": ["1"]]),
    ]

    @Test(arguments: segments + partly + wildcards + groups)
    func aPatternAnswersAndCaptures(row: Row) throws {
        let answer = try RoutingTable([row.pattern]).answer(row.action, patterns: [row.pattern])
        #expect(answer?.captures == row.captures)
    }
}
