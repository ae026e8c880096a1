import Testing
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Patterns of the syntaxes `url` and `text`.
struct SyntaxPatternTests {
    /// A pattern, a URL, and the captures; nil if it does not match.
    static let matches: [(pattern: String, syntax: URLSyntax, text: String, captures: [String]?)] = [
        ("//github.com/acme{/*path}", .url, "x://GitHub.com/acme/a//b/", ["a", "", "b", ""]),
        ("//github.com/acme{/*path}", .url, "x://github.com/acme", []),
        ("//github.com/acme{/*path}", .url, "x://github.com/Acme", nil),
        ("//github.com/acme{/*path}", .url, "x:/github.com/acme", nil),
        ("/github.com/acme", .url, "x://github.com/acme", nil),
        ("/%2F%2F/github.com", .url, "x://github.com", nil), ("/a", .url, "x:a", []), ("a", .url, "x:/a", []),
        ("", .url, "x:", []), ("", .url, "x:?a", []), ("/", .url, "x:/", []), ("", .url, "x:a", nil),
        ("//HOST./a", .url, "x://host/a", []), ("//\\[2001\\:DB8\\:0\\:\\:7\\]", .url, "x://[2001:db8::7]", []),
        ("//:sub.example.org", .url, "x://A.Example.org.", ["a"]), ("//:host", .url, "x://h/", ["h"]),
        ("//:host", .url, "x://h//", nil), ("//*all", .url, "x://h/a//", ["h", "a", "", ""]),
        ("/:a", .url, "x:/", nil), ("/:a/:b", .url, "x:/a//", nil), ("//h/:a", .url, "x://h/ü", nil),
        ("//h/ü", .url, "x://h/ü", nil), ("//h/ü", .url, "x://h/%C3%BC", []), ("//h/*a", .url, "x://h/ü%20|", ["ü |"]),
        ("//h/:a-:b", .url, "x://h/a-{b", nil), ("//h/*a/end", .url, "x://h//../end", ["", ".."]),
        ("//h/a*b", .url, "x://h/ab//c", ["b", "", "c"]), ("//h/*a-*b", .url, "x://h/a-b//c", ["a", "b", "", "c"]),
        ("*link", .text, "mpv:https://h/?a#b", ["https://h/?a#b"]), ("*link", .text, "mpv:", nil),
        ("*link", .text, "mpv:a//b", ["a//b"]), ("", .text, "man:", []), ("ls(1)", .text, "man:ls(1)", []),
        ("a:*b", .text, "x:a:b:c", ["b:c"]), ("a:*b", .text, "x:a:", nil), ("a\\*\\\\*b", .text, "x:a*\\c", ["c"]),
        ("A*b", .text, "x:ab", nil), ("a%20*b", .text, "x:a%20c", ["c"]),
    ]

    @Test(arguments: matches)
    func aPatternMatchesURLsOfItsSyntax(pattern: String, syntax: URLSyntax, text: String, captures: [String]?) throws {
        guard let pattern = try? RoutePattern(pattern, as: syntax) else {
            return #expect(captures == nil)
        }
        var url = ActionURL()
        try url.parse(text.utf8.span, as: syntax)
        let table = try RoutingTable([RoutingTable.Entry(pattern: pattern)])
        var found: [Capture] = []
        let isMatch = table.match(url.storage.bytes.span, segments: url.segmentRanges.span, into: &found) != nil
        let texts = found.map { String(decoding: url.storage.bytes[url.wholeRange($0.range)], as: UTF8.self) }
        #expect((isMatch ? texts : nil) == captures)
    }

    static let faults: [(pattern: String, syntax: URLSyntax, reason: RoutePatternError.Reason, position: Int)] = [
        ("//host:22", .url, .userOrPort, 7), ("//ann@host", .url, .userOrPort, 2), ("///a", .url, .emptySegment, 2),
        ("//h//a", .url, .emptySegment, 4), ("//h/%20", .url, .percentEscape("%20"), 4),
        ("//h/:", .url, .missingName, 5),
        ("a*", .text, .missingName, 2), ("*a/b", .text, .textAfterCapture, 2), ("*a*b", .text, .textAfterCapture, 2),
        ("a\\", .text, .missingEscapedCharacter, 1), ("a/b", .callback, .missingSlash, 0),
    ]

    @Test(arguments: faults)
    func anInvalidPatternNamesItsFault(
        pattern: String, syntax: URLSyntax, reason: RoutePatternError.Reason, position: Int
    ) throws {
        let error = try #require(throws: RoutePatternError.self) { try RoutePattern(pattern, as: syntax) }
        #expect(error.reason == reason)
        #expect(error.position == position)
    }

    /// Patterns that conflict, or do not.
    static let conflicts: [(patterns: [String], syntax: URLSyntax, areConflicting: Bool)] = [
        (["//h/:a", "//h/:b"], .url, true), (["//h/:a", "//:h/a"], .url, false), (["//:h", "/:h"], .url, false),
        (["//h", "//H."], .url, true), (["a", "/a"], .url, true), (["a*b", "a*c"], .text, true),
        (["a*b", "ab*c"], .text, false), (["//a", "a"], .text, false), (["*a", "*b"], .text, true),
        (["//h{/*a}", "//h"], .url, true),
    ]

    @Test(arguments: conflicts)
    func equalPatternsConflict(patterns: [String], syntax: URLSyntax, areConflicting: Bool) throws {
        let routes = try patterns.map { RoutingTable.Entry(pattern: try RoutePattern($0, as: syntax)) }
        if areConflicting {
            #expect(throws: RoutingConflicts.self) { try RoutingTable(routes) }
        } else {
            _ = try RoutingTable(routes)
        }
    }
}
