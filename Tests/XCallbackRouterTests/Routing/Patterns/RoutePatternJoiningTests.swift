import Testing
import XCallbackRouter

struct RoutePatternJoiningTests {
    static let joined: [(prefix: String, rest: String, text: String, answered: [String], others: [String])] = [
        ("/a", "/b", "/a/b", ["/a/b"], ["/b", "/a"]), ("/a/", "/b", "/a/b", ["/a/b"], ["/a"]),
        ("/a", "/", "/a", ["/a"], ["/"]), ("/", "/b", "/b", ["/b"], ["/"]), ("/", "/", "/", ["/"], ["/a"]),
        ("/a", "{/:b/}c", "/a{/:b/}c", ["/a/1/c", "/a/c"], ["/ac"]),
        ("/:a{/b}", "/*c", "/:a{/b}/*c", ["/1/b/2/3", "/1/2"], ["/1"]),
        ("{/a}", "{/b}", "{/a}{/b}", ["/a/b", "/a", "/b", "/"], ["/b/a"]),
    ]

    @Test(arguments: joined)
    func eachPatternHasItsOwnSegments(
        prefix: String, rest: String, text: String, answered: [String], others: [String]
    ) throws {
        let pattern = try RoutePattern(RoutePattern(prefix), RoutePattern(rest))
        #expect(pattern.text == text)
        for action in answered { #expect(try Self.isAnswered(action, by: pattern), "\(action)") }
        for action in others { #expect(try !Self.isAnswered(action, by: pattern), "\(action)") }
    }

    private static func isAnswered(_ text: String, by pattern: RoutePattern) throws -> Bool {
        let action = Action(text)
        var captures: [Capture] = []
        let table = try RoutingTable([RoutingTable.Entry(pattern: pattern)])
        return table.match(action.bytes.span, segments: action.segments.span, into: &captures) != nil
    }

    static let faults: [(prefix: String, rest: String, reason: RoutePatternError.Reason)] = [
        ("/:a", "/:a", .repeatedName("a")),
        ("{/a}{/b}{/c}{/d}/e", "{/f}{/g}{/h}/i", .tooManyAlternatives),
        (String(repeating: "/a", count: 100), String(repeating: "/b", count: 29), .tooManySegments),
    ]

    @Test(arguments: faults)
    func whatOnlyGoesWrongTogetherIsAFault(prefix: String, rest: String, reason: RoutePatternError.Reason) throws {
        let (prefix, rest) = (try RoutePattern(prefix), try RoutePattern(rest))
        let error = #expect(throws: RoutePatternError.self) { try RoutePattern(prefix, rest) }
        #expect(error?.reason == reason)
        #expect(error?.position == prefix.text.unicodeScalars.count)
        #expect(error?.pattern == prefix.text + rest.text)
    }

    static let broken: [(String, [String])] = [
        ("x(:a/*b", ["a", "b"]), ("/:\"a b\"{", ["a b"]), ("/:a/:a", ["a"]), ("::/*/:", []), ("/:\"a", ["a"]), ("", []),
    ]

    @Test(arguments: broken)
    func theCapturesOfABrokenPatternAreGuessed(text: String, names: [String]) {
        #expect(RoutePattern(capturesOf: text).captures.map(\.name) == names)
    }
}
