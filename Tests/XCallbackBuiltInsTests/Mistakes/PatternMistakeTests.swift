import Testing

/// What people write by mistake where a pattern is expected, as other routers have it.
struct PatternMistakeTests {
    static let faults: [CommonMistake] = [
        .pattern("/a/[id]", "write '/a/:id'", "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/a/[...path]", "write '/a/*path'", "/a/*path", "notes:/a/7", "path=7"),
        .pattern("get /a/:id", "write '/a/:id'", "/a/:id", "notes:/a/7", "id=7"),
        .pattern(
            "GET notes:/a/:id", "a route has no method, write 'notes:'", "notes:/a/:id", "notes:/a/7", "id=7"),
        .pattern(
            "/search?q", "write '/search' with 'input: { q: string }'", "/search", "notes:/search?q=x", "q=x",
            with: "input: { q: string }"),
        .pattern(
            "/a?b", "write '/a' with 'input: { b: string }'", "/a", "notes:/a?b=x", "b=x", with: "input: { b: string }"),
        .pattern("/colou?r", "or '/colo{u}r' for a letter", "/colo{u}r", "notes:/color"),
        .pattern("/colou?rs/:id", "write '/colo{u}rs/:id'", "/colo{u}rs/:id", "notes:/colors/7", "id=7"),
        .pattern("/a/:id/?", "write '/a/:id'", "/a/:id", "notes:/a/7/", "id=7"),
        .pattern("/a/*path?", "write '/a{/*path}'", "/a{/*path}", "notes:/a"),
        .pattern("/a/{id}?", "write '/a{/:id}'", "/a{/:id}", "notes:/a"),
        .pattern("/(notes)?/x", "write '{/notes}/x'", "'{/notes}/x'", "notes:/x"),
        .pattern("/notes(.json)?", "write '/notes{.json}'", "/notes{.json}", "notes:/notes.json"),
        .pattern("/a/{id}/b/{c}", "write '/a/:id/b/:c'", "/a/:id/b/:c", "notes:/a/7/b/8", "c=8"),
        .pattern(
            "/a/:id([a-f0-9]{8})",
            "with 'input: { id: { type: string, charset: a-f0-9, min-length: 8, max-length: 8 } }'", "/a/:id",
            "notes:/a/0123abcd", "id=0123abcd",
            with: "input: { id: { type: string, charset: a-f0-9, min-length: 8, max-length: 8 } }"),
        .pattern(
            "/a/:id(\\d{4})", "with 'input: { id: { type: string, charset: 0-9, min-length: 4, max-length: 4 } }'",
            "/a/:id", "notes:/a/0012", "id=0012",
            with: "input: { id: { type: string, charset: 0-9, min-length: 4, max-length: 4 } }"),
        .pattern(
            "/a/:id(new)", "write '/a/:id' with 'input: { id: { type: enum, values: [new] } }'", "/a/:id",
            "notes:/a/new", "id=new", with: "input: { id: { type: enum, values: [new] } }"),
        .pattern(
            "/a/:id(int)", "write '/a/:id' with 'input: { id: int }'", "/a/:id", "notes:/a/7", "id=7",
            with: "input: { id: int }"),
        .pattern(
            "/a/:id([a-z]+-x)/b", "write '/a/:id/b', which takes any 'id', and not only '[a-z]+-x'", "/a/:id/b",
            "notes:/a/a-x/b", "id=a-x"),
        .pattern("/a/:id([^/]+)", "write '/a/:id', at", "/a/:id", "notes:/a/7", "id=7"),
    ]

    static let warnings: [CommonMistake] = [
        .pattern(
            "/a/<id:int>", "write a capture as ':id' with 'input: { id: int }'", "/a/:id", "notes:/a/7", "id=7",
            with: "input: { id: int }"),
        .pattern(
            "/$id", "'$id' in a pattern is literal text: write a capture as ':id'", "/:id", "notes:/7", "id=7"),
        .pattern("/#{id}", "write a capture as ':id'", "/:id", "notes:/7", "id=7"),
        .pattern("'/%{id}'", "write a capture as ':id'", "/:id", "notes:/7", "id=7"),
        .pattern("/{{id}}", "write a capture as ':id'", "/:id", "notes:/7", "id=7"),
        .pattern(
            "/:id|int", "write a capture as ':id' with 'input: { id: int }'", "/:id", "notes:/7", "id=7",
            with: "input: { id: int }"),
        .pattern(
            "/a|b", "write a capture as ':id' with 'input: { id: { type: enum, values: [a, b] } }'", "/:id",
            "notes:/a", "id=a", with: "input: { id: { type: enum, values: [a, b] } }"),
        .pattern(
            "'/{a,b}'", "write a capture as ':id' with 'input: { id: { type: enum, values: [a, b] } }'", "/:id",
            "notes:/a", "id=a", with: "input: { id: { type: enum, values: [a, b] } }"),
        .pattern("/^a$", "a pattern is not a regular expression: write '/a'", "/a", "notes:/a"),
        .pattern("/^\\/a/", "a pattern is not a regular expression: write '/a'", "/a", "notes:/a"),
        .pattern("/notes#top", "a route has no fragment: write '/notes'", "/notes", "notes:/notes"),
        .pattern("'/a '", "the pattern ends with a space: write '/a'", "/a", "notes:/a"),
        CommonMistake(
            "- route: /@id\n  input: { id: int }\n  respond: { r: \"{id}\" }", "write a capture as ':id'",
            "- route: /:id\n  input: { id: int }\n  respond: { r: \"{id}\" }", "notes:/7", "r=7"),
    ]

    @Test(arguments: faults + warnings)
    func aPatternOfAnotherRouterLeadsToItsMend(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: [
        "/@me", "/\\$id", "/a\\|b", "/a\\#b", "/a\\ ", "/c#", "/#a", "/a$", "/5$/b", "/a|/b", "/a^b", "/a b",
    ])
    func whatIsLikelyMeantAsATextIsNotWarnedOf(pattern: String) {
        let text = "schemes: [notes]\nroutes:\n- route: '\(pattern)'\n  respond:\n"
        #expect(CommonMistake.told(of: text) == [])
    }
}
