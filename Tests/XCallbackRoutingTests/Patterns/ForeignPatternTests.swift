import Testing
import XCallbackRouting

struct ForeignPatternTests {
    static let patterns: [(String, String?, input: String)] = [
        ("/b/:id?", "/b{/:id}", ""), ("/:id?", "{/:id}", ""), ("/a-:id?", "/a-{:id}", ""),
        ("/:a?/b/:c?", "{/:a}/b{/:c}", ""), ("/:from?-:to", "/{:from}-:to", ""),
        ("/a/:id(\\d+)", "/a/:id", "id: int"),
        ("/a/:id(\\d+)?", "/a{/:id}", "id: int"), ("/a/(\\d+)", "/a/:id", "id: int"),
        ("/a/:id([a-z]+)", "/a/:id", "id: { type: string, charset: a-z }"),
        ("/a/:id(\\w+)", "/a/:id", "id: { type: string, charset: a-zA-Z0-9_ }"),
        ("/a/:id(x|y-z)", "/a/:id", "id: { type: enum, values: [x, y-z] }"),
        ("/a/:id([^/]+)", "/a/:id", ""), ("/a/:id((?:x|y)+)", "/a/:id", ""),
        ("/a/[a-z]+", "/a/:id", "id: { type: string, charset: a-z }"),
        ("/a/(.*)", "/a/*id", ""), ("/a/:rest(.*)", "/a/*rest", ""), ("/a/:b+", "/a/*b", ""), ("/a/:b*", "/a{/*b}", ""),
        ("/a/*", "/a/*path", ""), ("/a/**", "/a/*path", ""), ("*", "/*path", ""),
        ("/say/*/to/*", "/say/*path/to/*path2", ""),
        ("/a/*/:path", "/a/*path2/:path", ""), ("/a(/:id)", "/a{/:id}", ""), ("/a(/:id(/:b))", "/a{/:id{/:b}}", ""),
        ("/a/:id(.:format)", "/a/:id{.:format}", ""), ("/e?x=1", "/e", "x: string"),
        ("/e?x=1&y-z=", "/e", "x: string, y-z: string"),
        ("/e/:id?x=:x", "/e/:id", "x: string"), ("/e?%20=1", "/e", ""), ("^/a$", "/a", ""),
        ("^/a/(\\d+)/?$", "/a/:id", "id: int"),
        ("GET /a/:id", "/a/:id", ""), ("a/:id", "/a/:id", ""), ("/a/{id}/b", "/a/:id/b", ""),
        ("/a/${id}", "/a/:id", ""),
        ("/a/{id:int}", "/a/:id", "id: int"), ("/a/{id:\\d+}", "/a/:id", "id: int"), ("/a/{id?}", "/a{/:id}", ""),
        ("/a/{id:guid}", "/a/:id", "id: uuid"), ("/a/{p...}", "/a/*p", ""), ("/a/{p*}", "/a/*p", ""),
        ("/a/{p:path}", "/a/*p", ""),
        ("/a/<id>", "/a/:id", ""), ("/a/<int:id>", "/a/:id", "id: int"), ("/a/<path:p>", "/a/*p", ""),
        ("/a/<p..>", "/a/*p", ""),
        ("/a", nil, ""), ("/a/:id{/:b}", nil, ""), ("/a/*p", nil, ""), ("/a/:\"b?\"", nil, ""), ("/a\\?", nil, ""),
        ("/a?", nil, ""),
        ("/a(b", nil, ""), ("/a)", nil, ""), ("/a[b", nil, ""), ("/a+b", nil, ""),
        ("/a!", nil, ""), ("/:", nil, ""),
        ("/a/:b(", nil, ""), ("/a{b", nil, ""), ("/file{s}", nil, ""), ("/a/{b}c", nil, ""), ("/a/{:b}", nil, ""),
        ("/a/:b:c?", nil, ""), ("", nil, ""),
        ("/a/\\", nil, ""), ("/a/{$b}", nil, ""),
    ]

    static let segments: [(String, String?, input: String)] = [
        ("/a/[id]", "/a/:id", ""), ("/a/[...p]", "/a/*p", ""), ("/a/[[...p]]", "/a{/*p}", ""),
        ("/[a]/[b]/c", "/:a/:b/c", ""), ("/a/[a-z]", "/a/:id", "id: { type: string, charset: a-z, max-length: 1 }"),
        ("/a/<id:int>", "/a/:id", "id: int"), ("/a/<id:re:[a-z]+>", "/a/:id", "id: { type: string, charset: a-z }"),
        ("/a/<date:int>", "/a/:date", "date: int"), ("/a/<int:date>", "/a/:date", "date: int"),
        ("/a/<p:path>", "/a/*p", ""), ("/a/<int(min=1):id>", "/a/:id", ""),
        ("get /a/:id", "/a/:id", ""), ("POST /a", "/a", ""), ("/GET /a", nil, ""), (" /a", "/a", ""), ("/a ", "/a", ""),
        ("/a\\ ", nil, ""), ("/search?q", "/search", "q: string"), ("/a?b", "/a", "b: string"),
        ("/a?b&c", "/a", "b: string, c: string"), ("/a/:id?q", "/a/:id", "q: string"),
        ("/a/?", "/a", ""), ("/a/:id/?", "/a/:id", ""), ("/a/*p?", "/a{/*p}", ""), ("/a/{id}?", "/a{/:id}", ""),
        ("/a{/:id}?", "/a{/:id}", ""), ("/search?", "/search", ""), ("/colou?rs/:id", "/colo{u}rs/:id", ""),
        ("/(notes)?/x", "{/notes}/x", ""), ("/a(.json)?", "/a{.json}", ""), ("/a(\\.json)?", "/a{.json}", ""),
        ("/a/(b)/c", "/a/b/c", ""), ("/a(?:/:id)?", "/a{/:id}", ""), ("/a/(?<n>\\d+)", "/a/:n", "n: int"),
        ("/a/{id}/b/{c}", "/a/:id/b/:c", ""), ("/a/{id:\\d{4}}/b", "/a/:id/b", four("0-9")),
        ("/$id", "/:id", ""), ("/#{id}", "/:id", ""), ("/%{id}", "/:id", ""), ("/{{id}}", "/:id", ""),
        ("/{{ id }}", "/:id", ""), ("/:id|int", "/:id", "id: int"), ("/:id<int>", "/:id", "id: int"),
        ("/:id|x", nil, ""), ("/a|b", "/:id", "id: { type: enum, values: [a, b] }"),
        ("/{a,b}/:id", "/:id2/:id", "id2: { type: enum, values: [a, b] }"), ("/a|/b", nil, ""),
        ("/^a$", "/a", ""), ("/^\\/a/", "/a", ""), ("/^\\/a\\/\\d+$/", "/a/:id", "id: int"),
        ("/notes#top", "/notes", ""),
        ("/a#", nil, ""), ("/#a", nil, ""), ("/@a", nil, ""), ("/a$", "/a", ""),
    ]

    private static func four(_ charset: String) -> String {
        "id: { type: string, charset: \(charset), min-length: 4, max-length: 4 }"
    }

    static let expressions: [(String, String?)] = [
        ("\\d", "{ type: string, charset: 0-9, max-length: 1 }"), ("-?\\d+", "int"), ("\\d{1,}", "int"),
        ("[0-9]{2,3}", "{ type: string, charset: 0-9, min-length: 2, max-length: 3 }"),
        ("[a-f0-9]{8}", "{ type: string, charset: a-f0-9, min-length: 8, max-length: 8 }"),
        ("\\w{2,}", "{ type: string, charset: a-zA-Z0-9_, min-length: 2 }"),
        ("[\\w-]+", "{ type: string, charset: a-zA-Z0-9_- }"), ("[1-9]\\d*", "{ type: int, min: 1 }"),
        ("\\d{4}-\\d{2}-\\d{2}", "date"), (".{3}", "{ type: string, min-length: 3, max-length: 3 }"),
        ("[^/]{0,3}", "{ type: string, max-length: 3 }"), ("[a-z]{3,2}", nil), ("[a-z]{x}", nil), ("a{2}", nil),
    ]

    @Test(arguments: expressions)
    func whatARegularExpressionDemandsIsDeclared(expression: String, declaration: String?) {
        let translation = ForeignPattern("/a/:id(\(expression))")
        #expect(translation?.input == declaration.map { " with 'input: { id: \($0) }'" } ?? "")
    }

    @Test(arguments: patterns + segments)
    func patternsOfOtherRoutersAreTranslated(text: String, pattern: String?, input: String) {
        let translation = ForeignPattern(text)
        #expect(translation?.pattern == pattern)
        #expect(translation?.input ?? "" == (input.isEmpty ? "" : " with 'input: { \(input) }'"))
    }

    @Test func whatNobodyWritesIsNotTranslated() {
        #expect(ForeignPattern(String(repeating: "/a", count: 100) + "/:id?") != nil)
        #expect(ForeignPattern(String(repeating: "(/", count: 50_000)) == nil)
        #expect(ForeignPattern(String(repeating: "/*", count: 50_000)) == nil)
    }

    static let messages: [(String, String, inConfiguration: String)] = [
        ("/b/:id?", "'?' is reserved: write '/b{/:id}', at position 6 of /b/:id?", ""),
        ("/b/:id(\\d+)", "'(' is reserved: write '/b/:id'", " with 'input: { id: int }'"),
        ("/e?x=1", "'?' is reserved; a route has no query: write '/e'", " with 'input: { x: string }'"),
        ("/a/*", "a name must follow ':' or '*': write '/a/*path'", ""),
        ("a", "a pattern must start with '/': write '/a', at position 0 of a", ""),
        ("/a?b", "'?' is reserved; a route has no query: write '/a'", " with 'input: { b: string }'"),
        (
            "/notes?",
            "'?' is reserved; a route has no query: write '/notes', or '/note{s}' for a letter that may be left out", ""
        ),
        ("/a?", "'?' is reserved; put '\\' before it, at position 2 of /a?", ""),
        ("/a/{id}/b", "empty segment, because a group is left out: write '/a/:id/b'", ""),
    ]

    @Test(arguments: messages)
    func theFaultNamesTheMend(text: String, message: String, inConfiguration: String) throws {
        let error = try #require(throws: RoutePatternError.self) { try RoutePattern(text) }
        let place = message.contains(", at") ? "" : ", at position \(error.position) of \(text)"
        #expect(error.description == message + place)
        #expect(error.configurationDescription == message + inConfiguration + place)
    }
}
