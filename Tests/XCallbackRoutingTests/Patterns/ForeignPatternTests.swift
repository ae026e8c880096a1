import Testing
import XCallbackRouting

struct ForeignPatternTests {
    static let patterns: [(String, String?, input: String)] = [
        ("/b/:id?", "/b{/:id}", ""), ("/:id?", "{/:id}", ""), ("/a-:id?", "/a-{:id}", ""),
        ("/:a?/b/:c?", "{/:a}/b{/:c}", ""), ("/:from?-:to", "/{:from}-:to", ""),
        ("/a/:id(\\d+)", "/a/:id", "id: int"), ("/a/:id([0-9]{4})", "/a/:id", "id: int"),
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
        ("/e/:id?x=:x", "/e/:id", "x: string"), ("/e?%20=1", "/e", ""), ("^/a$", "/a", ""), ("^/a/(\\d+)/?$", nil, ""),
        ("GET /a/:id", "/a/:id", ""), ("a/:id", "/a/:id", ""), ("/a/{id}/b", "/a/:id/b", ""),
        ("/a/${id}", "/a/:id", ""),
        ("/a/{id:int}", "/a/:id", "id: int"), ("/a/{id:\\d+}", "/a/:id", "id: int"), ("/a/{id?}", "/a{/:id}", ""),
        ("/a/{id:guid}", "/a/:id", "id: uuid"), ("/a/{p...}", "/a/*p", ""), ("/a/{p*}", "/a/*p", ""),
        ("/a/{p:path}", "/a/*p", ""),
        ("/a/<id>", "/a/:id", ""), ("/a/<int:id>", "/a/:id", "id: int"), ("/a/<path:p>", "/a/*p", ""),
        ("/a/<p..>", "/a/*p", ""),
        ("/a", nil, ""), ("/a/:id{/:b}", nil, ""), ("/a/*p", nil, ""), ("/a/:\"b?\"", nil, ""), ("/a\\?", nil, ""),
        ("/a?", nil, ""),
        ("/colou?r", nil, ""), ("/a(b", nil, ""), ("/a)", nil, ""), ("/a[b", nil, ""), ("/a+b", nil, ""),
        ("/a!", nil, ""), ("/:", nil, ""),
        ("/a/:b(", nil, ""), ("/a{b", nil, ""), ("/file{s}", nil, ""), ("/a/{b}c", nil, ""), ("/a/{:b}", nil, ""),
        ("/a/:b:c?", nil, ""), ("", nil, ""),
        ("/a/\\", nil, ""), ("/a/{$b}", nil, ""),
    ]

    @Test(arguments: patterns)
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
        ("/a?b", "'?' is reserved; put '\\' before it, at position 2 of /a?b", ""),
    ]

    @Test(arguments: messages)
    func theFaultNamesTheMend(text: String, message: String, inConfiguration: String) throws {
        let error = try #require(throws: RoutePatternError.self) { try RoutePattern(text) }
        let place = message.contains(", at") ? "" : ", at position \(error.position) of \(text)"
        #expect(error.description == message + place)
        #expect(error.configurationDescription == message + inConfiguration + place)
    }
}
