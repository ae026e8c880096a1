import Testing
import XCallbackRouting

/// What single patterns answer and capture.
struct RoutePatternMatchingTests {
    struct Row: Sendable {
        let pattern: String
        let action: String
        let captures: [String: [String]]?

        init(_ pattern: String, _ action: String, _ captures: [String: [String]]?) {
            self.pattern = pattern
            self.action = action
            self.captures = captures
        }
    }

    static let segments: [Row] = [
        Row("/", "/", [:]),
        Row("/", "/a", nil),
        Row("/notes", "/notes", [:]),
        Row("/notes/", "/notes", [:]),
        Row("/notes", "/Notes", nil),
        Row("/notes", "/notes/a", nil),
        Row("/notes", "/note", nil),
        Row("/notes", "/", nil),
        Row("/über", "/%C3%BCber", [:]),
        Row("/a b", "/a%20b", [:]),
        Row("/a\\%20b", "/a%20b", nil),
        Row("/a\\%20b", "/a%2520b", [:]),
        Row("/5%", "/5%25", [:]),
        Row("/a\\/b", "/a%2Fb", [:]),
        Row("/a\\/b", "/a/b", nil),
        Row("/\\:id\\*\\{\\}\\\\", "/:id*{}\\", [:]),
        Row("/notes/:id", "/notes/7", ["id": ["7"]]),
        Row("/notes/:id", "/notes/a%2Fb", ["id": ["a/b"]]),
        Row("/notes/:id", "/notes", nil),
        Row("/notes/:id", "/notes/7/8", nil),
        Row("/:\"note id\"", "/7", ["note id": ["7"]]),
        Row("/:\"a\"b", "/7b", ["a": ["7"]]),
        Row("/:日本", "/7", ["日本": ["7"]]),
        Row("/:a\u{200D}b", "/7", ["a\u{200D}b": ["7"]]),
    ]

    static let partly: [Row] = [
        Row("/:from-:to", "/a-b", ["from": ["a"], "to": ["b"]]),
        Row("/:from-:to", "/a-b-c", ["from": ["a-b"], "to": ["c"]]),
        Row("/:from-:to", "/a--", ["from": ["a"], "to": ["-"]]),
        Row("/:from-:to", "/---", ["from": ["-"], "to": ["-"]]),
        Row("/:from-:to", "/a-", nil),
        Row("/:from-:to", "/-a", nil),
        Row("/:from-:to", "/--", nil),
        Row("/:a-:b-:c", "/1-2-3-4", ["a": ["1-2"], "b": ["3"], "c": ["4"]]),
        Row("/:a-:b-:c", "/1-2", nil),
        Row("/:a--:b", "/1---2", ["a": ["1-"], "b": ["2"]]),
        Row("/v:major.:minor", "/v1.2", ["major": ["1"], "minor": ["2"]]),
        Row("/v:major.:minor", "/v1.2.3", ["major": ["1.2"], "minor": ["3"]]),
        Row("/v:major.:minor", "/w1.2", nil),
        Row("/:name.txt", "/a.txt", ["name": ["a"]]),
        Row("/:name.txt", "/.txt", nil),
        Row("/:a-x", "/a/b-x", nil),
        Row("/:a\\/:b", "/1%2F2", ["a": ["1"], "b": ["2"]]),
    ]

    static let wildcards: [Row] = [
        Row("/files/*path", "/files/a", ["path": ["a"]]),
        Row("/files/*path", "/files/a/b%2Fc/d", ["path": ["a", "b/c", "d"]]),
        Row("/files/*path", "/files", nil),
        Row("/*all", "/", nil),
        Row("/*path/end", "/a/end/end", ["path": ["a", "end"]]),
        Row("/*path/end", "/end", nil),
        Row("/*a/x/*b", "/1/x/2/x/3", ["a": ["1", "x", "2"], "b": ["3"]]),
        Row("/*a/x/*b", "/x/x/x", ["a": ["x"], "b": ["x"]]),
        Row("/*a/x/*b", "/x/x", nil),
        Row("/*a/:b/*c", "/1/2/3/4", ["a": ["1", "2"], "b": ["3"], "c": ["4"]]),
        Row("/files/*path.txt", "/files/a/b.txt", ["path": ["a", "b"]]),
        Row("/files/*path.txt", "/files/a.txt", ["path": ["a"]]),
        Row("/files/*path.txt", "/files/.txt", nil),
        Row("/files/*path.txt", "/files/a/.txt", nil),
        Row("/files/*path.txt", "/files/a.txt/b", nil),
        Row("/a-*rest", "/a-b/c", ["rest": ["b", "c"]]),
        Row("/a-*rest", "/a-/c", nil),
        Row("/a-*rest-b/*c", "/a-1/2-b/3-b/4", ["rest": ["1", "2-b", "3"], "c": ["4"]]),
        Row("/:a-*rest", "/x-y-z/w", ["a": ["x"], "rest": ["y-z", "w"]]),
        Row("/*a-:b", "/x/y-z-w", ["a": ["x", "y-z"], "b": ["w"]]),
        Row("/*a-:b", "/x/y", nil),
        Row("/:a-*b.:c", "/1-2-3.4.5", ["a": ["1"], "b": ["2-3.4"], "c": ["5"]]),
        Row("/*a-*b", "/1-2", ["a": ["1"], "b": ["2"]]),
        Row("/*a-*b", "/0/1-2-3/4", ["a": ["0", "1-2"], "b": ["3", "4"]]),
        Row("/*foo-*bar", "/1-2-3-4", ["foo": ["1-2-3"], "bar": ["4"]]),
        Row("/*a-*b-*c", "/1-2-3/4-5", ["a": ["1-2"], "b": ["3", "4"], "c": ["5"]]),
        Row("/:x-*a-:y-*b", "/1-2/3-4-5-6", ["x": ["1"], "a": ["2", "3-4"], "y": ["5"], "b": ["6"]]),
        Row("/*a-*b", "/0-/-1/2", nil),
        Row("/*a-:x-*b", "/p-/q-r-s/t", ["a": ["p-", "q"], "x": ["r"], "b": ["s", "t"]]),
    ]

    static let groups: [Row] = [
        Row("/a{/:b}", "/a", [:]),
        Row("/a{/:b}", "/a/1", ["b": ["1"]]),
        Row("/a{/:b{/:c}}", "/a/1/2", ["b": ["1"], "c": ["2"]]),
        Row("/a{/:b{/:c}}", "/a/1", ["b": ["1"]]),
        Row("/a{/:b{/:c}}", "/a/1/2/3", nil),
        Row("/a{b}c", "/abc", [:]),
        Row("/a{b}c", "/ac", [:]),
        Row("/a{b}c", "/ab", nil),
        Row("/:a{-:b}", "/1", ["a": ["1"]]),
        Row("/:a{-:b}", "/1-2", ["a": ["1"], "b": ["2"]]),
        Row("/:a{-:b}-:c", "/1-3", ["a": ["1"], "c": ["3"]]),
        Row("/:a{-:b}-:c", "/1-2-3", ["a": ["1"], "b": ["2"], "c": ["3"]]),
        Row("{/:a/}x", "/1/x", ["a": ["1"]]),
        Row("{/:a/}x", "/x", [:]),
        Row("{/a}", "/", [:]),
        Row("/a{/}", "/a", [:]),
        Row("/a{}", "/a", [:]),
        Row("/a{/*rest}/z", "/a/b/c/z", ["rest": ["b", "c"]]),
        Row("/a{/*rest}/z", "/a/z", [:]),
        Row("/{:a}{.:b}", "/1.2", ["a": ["1"], "b": ["2"]]),
        Row("{/:a}{/:b}", "/1", ["a": ["1"]]),
    ]

    @Test(arguments: segments + partly + wildcards + groups)
    func aPatternAnswersAndCaptures(row: Row) throws {
        let answer = try RoutingTable([row.pattern]).answer(row.action, patterns: [row.pattern])
        #expect(answer?.captures == row.captures)
    }
}
