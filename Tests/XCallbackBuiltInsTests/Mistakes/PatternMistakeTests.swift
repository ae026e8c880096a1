import Testing

/// Patterns in the syntax of other routers.
struct PatternMistakeTests {
    private static let hint = "here a capture is ':id', a wildcard '*path', a placeholder '{id}'"

    static let mistakes: [CommonMistake] = [
        .pattern("/a/:id?", hint, "/a{/:id}", "notes:/a"),
        .pattern("/a/:id(\\d+)", hint, "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/a/[id]", hint, "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/f/*", hint, "/f/*path", "notes:/f/x", "path=x"),
        .pattern("/f/(.*)", hint, "/f/*path", "notes:/f/x", "path=x"),
        .pattern("/e?x=1", hint, "/e", "notes:/e?x=1", "x=1"),
        .pattern("/a/{id}", hint, "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/a/<id>", hint, "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/a/<int:id>", hint, "/a/:id", "notes:/a/7", "id=7"),
        .pattern("/$id", hint, "/:id", "notes:/7", "id=7"),
        .pattern("/#{id}", hint, "/:id", "notes:/7", "id=7"), .pattern("/{{ id }}", hint, "/:id", "notes:/7", "id=7"),
        .pattern("/^a$", hint, "/a", "notes:/a"),
        .pattern("get /a/:id", "a pattern must start with '/'", "/a/:id", "notes:/a/7", "id=7"),
        .pattern("GET notes:/a/:id", "a route has no method, write 'notes:'", "notes:/a/:id", "notes:/a/7", "id=7"),
    ]

    @Test(arguments: mistakes)
    func aPatternOfAnotherRouterLeadsToTheSyntax(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: [
        "/@me", "/\\$id", "/a\\|b", "/a\\#b", "/a\\ ", "/c#", "/#a", "/a$", "/5$/b", "/a|/b", "/a^b", "/a b",
    ])
    func whatIsLikelyMeantAsATextIsNotWarnedOf(pattern: String) {
        let text = "schemes: [notes]\nroutes:\n- route: '\(pattern)'\n  respond:\n"
        #expect(CommonMistake.told(of: text) == [])
    }
}
