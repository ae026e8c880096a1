import Testing

/// What is wrong leads to what is right: the message names the fix, which then loads without a fault or a warning.
struct CommonMistakesTests {
    static let patterns: [CommonMistake] = [
        .pattern("notes://a/:id", "a route has no host", "notes:/a/:id", "notes://a/7", "id=7"),
        .pattern("/my%20notes", "write the character itself instead of '%20'", "/my notes", "notes:/my%20notes"),
        .pattern("/my+notes", "write ' ' if you mean a space", "/my notes", "notes:/my%20notes"),
        .pattern("*", "text that begins with '*' or '&' needs quotes", "'/*path'", "notes:/x", "path=x"),
        .pattern("/a//b", "remove one '/'", "/a/b", "notes:/a/b"),
    ]

    static let placeholders: [CommonMistake] = [
        .route("respond: { r: {id} }", "needs quotes: \"{id}\"", "respond: { r: \"{id}\" }", "r=7"),
        .route("respond: { r: \"{idd}\" }", "did you mean '{id}'?", "respond: { r: \"{id}\" }", "r=7"),
        .route("respond: { r: \"{Id}\" }", "did you mean '{id}'?", "respond: { r: \"{id}\" }", "r=7"),
        .route("redirect: app:/x/:id", "a placeholder '{id}'", "redirect: \"app:/x/{id}\""),
        .route("exec: [echo, \"{idd}\"]", "did you mean '{id}'?", "exec: [echo, \"{id}\"]"),
        CommonMistake(
            "- route: /:note-id\n  respond: { r: \"{note-id}\" }", "write ':\"note-id\"'",
            "- route: /:\"note-id\"\n  respond: { r: \"{note-id}\" }", "notes:/7", "r=7"),
    ]

    static let types: [CommonMistake] = [
        .route("input: { id: integer }\n  respond:", "did you mean 'int'?", "input: { id: int }\n  respond:"),
        .route("input: { t: boolean }\n  exec: [ls]", "did you mean 'bool'?", "input: { t: bool }\n  exec: [ls]"),
        .route("input: { t: text }\n  respond:", "did you mean 'string'?", "input: { t: string }\n  respond:"),
        .route("input: { t: String }\n  respond:", "did you mean 'string'?", "input: { t: string }\n  respond:"),
        .route("input: { id: float }\n  respond:", "did you mean 'number'?", "input: { id: number }\n  respond:"),
        .route("input: { t: array }\n  respond:", "did you mean 'list'?", "input: { t: list }\n  respond:"),
        .route(
            "input: { t: { maxLength: 9 } }\n  respond:", "did you mean 'max-length'?",
            "input: { t: { max-length: 9 } }\n  respond:"),
        .route(
            "input: { t: { max-length: 4KiB } }\n  respond:", "did you mean '4096'?",
            "input: { t: { max-length: 4096 } }\n  respond:"),
        .route("input: [id]\n  respond:", "such as { id: int }", "input: { id: int }\n  respond:"),
        .route("input:\n  id: int\n  respond:", "indent what belongs to it", "input:\n    id: int\n  respond:"),
        .route("params: { id: int }\n  respond:", "did you mean 'input'?", "input: { id: int }\n  respond:"),
    ]

    static let words: [CommonMistake] = [
        .route("public: yes\n  respond:", "did you mean 'true'?", "public: true\n  respond:"),
        .route("public: on\n  respond:", "did you mean 'true'?", "public: true\n  respond:"),
        .route("public: no\n  respond:", "did you mean 'false'?", "public: false\n  respond:"),
        .route("public: 'true'\n  respond:", "leave the quotes out", "public: true\n  respond:"),
        .route("timeout: 5\n  respond:", "did you mean '5s'?", "timeout: 5s\n  respond:"),
        .route("timeout: 5 min\n  respond:", "did you mean '5m'?", "timeout: 5m\n  respond:"),
        .route("timeout: 1:30\n  respond:", "did you mean '90s'?", "timeout: 90s\n  respond:"),
        .route("cancel-status: 010\n  exec: [ls]", "did you mean '10'?", "cancel-status: 10\n  exec: [ls]"),
        .route("output: JSON\n  exec: [ls]", "did you mean 'json'?", "output: json\n  exec: [ls]"),
        CommonMistake(
            "schemes: [notes]\nlimits: { line: 64KB }", "did you mean '64KiB'?",
            "schemes: [notes]\nlimits: { line: 64KiB }"),
        CommonMistake(
            "schemes: [notes]\nlog: { level: warn }", "did you mean 'warning'?",
            "schemes: [notes]\nlog: { level: warning }"),
        CommonMistake(
            "schemes: [notes]\nlog: debug", "such as { level: debug }", "schemes: [notes]\nlog: { level: debug }"),
        CommonMistake("scheme: notes", "did you mean 'schemes'?", "schemes: notes"),
        CommonMistake("schemes: [\"notes://\"]", "did you mean 'notes'?", "schemes: [notes]"),
        CommonMistake("schemes: [notes:]", "unexpected ':': leave it out", "schemes: [notes]"),
        CommonMistake("schemes:\n- notes:\n", "leave out the ':' after 'notes'", "schemes:\n- notes\n"),
        CommonMistake("schemes: [my_notes]", "did you mean 'my-notes'?", "schemes: [my-notes]"),
        CommonMistake(
            "schemes: [notes]\ncallbacks: { allow: [example.org] }", "a web site is written 'https://example.org'",
            "schemes: [notes]\ncallbacks: { allow: ['https://example.org'] }"),
        CommonMistake(
            "schemes: [notes]\ncallbacks: { allow: ['https://example.org/done'] }",
            "did you mean 'https://example.org'?",
            "schemes: [notes]\ncallbacks: { allow: ['https://example.org'] }"),
        CommonMistake(
            "schemes: [notes]\ncallbacks: { allow: ['app://'] }", "did you mean 'app'?",
            "schemes: [notes]\ncallbacks: { allow: [app] }"),
        CommonMistake(
            "schemes: [notes]\ncallbacks: [app]", "such as { allow: [app] }",
            "schemes: [notes]\ncallbacks: { allow: [app] }"),
    ]

    static let yaml: [CommonMistake] = [
        .route("respond: { r: @home }", "put it in quotes", "respond: { r: '@home' }", "r=@home"),
        .route("respond:\n    r: *all", "begins with '*' needs quotes", "respond:\n    r: '*all'", "r=*all"),
        .route("respond:\n    r: %done", "put it in quotes", "respond:\n    r: '%done'", "r=%done"),
        .route("respond:\n    r: &done", "begins with '&' needs quotes", "respond:\n    r: '&done'", "r=&done"),
        .route("respond:\n    r: !done", "begins with '!' needs quotes", "respond:\n    r: '!done'", "r=!done"),
        .route("respond:\n    r: #done", "begins with '#' needs quotes", "respond:\n    r: '#done'", "r=#done"),
        .route(
            "respond:\n    r: {id} it is", "put the whole text in quotes", "respond:\n    r: '{id} it is'", "r=7 it is"),
        .route("respond:\n    r: Note: x", "quote a text that holds one", "respond:\n    r: 'Note: x'", "r=Note: x"),
        .route("respond: { r: Note: x }", "quote the text that holds it", "respond: { r: 'Note: x' }", "r=Note: x"),
        .route("respond: { r: a, b }", "a text with a comma needs quotes", "respond: { r: 'a, b' }", "r=a, b"),
        .route("respond: { r: 'it's' }", "is written twice", "respond: { r: 'it''s' }", "r=it's"),
        .route("respond: Hello", "such as { text: Hello }", "respond: { text: Hello }", "text=Hello"),
        .route("respond:\n\tr: x", "expected spaces for the indentation", "respond:\n    r: x", "r=x"),
        .route("respond:\n  respond: { r: x }", "is given twice", "respond: { r: x }", "r=x"),
        CommonMistake(
            "schemes: [notes]\nroutes:\n  route: /a\n  respond:\n", "each route begins with '- route: '",
            "schemes: [notes]\nroutes:\n- route: /a\n  respond:\n", "notes:/a"),
        CommonMistake("- route: /a\n- respond:", "leave out its '-'", "- route: /a\n  respond:", "notes:/a"),
        CommonMistake("- path: /a\n  respond:", "did you mean 'route'?", "- route: /a\n  respond:", "notes:/a"),
        CommonMistake("- Route: /a\n  respond:", "did you mean 'route'?", "- route: /a\n  respond:", "notes:/a"),
        CommonMistake(
            "- route:\n    path: /a\n    respond:", "other keys belong next to 'route'", "- route: /a\n  respond:",
            "notes:/a"),
        CommonMistake(
            "- /a", "such as { route: notes:/a", "- { route: notes:/a, respond: { text: Hello } }", "notes:/a",
            "text=Hello"),
        CommonMistake(
            "- prefix: /a\n  routes: [{ route: /b, respond: }]", "it belongs to a group, 'group: { prefix: … }'",
            "- group: { prefix: /a, routes: [{ route: /b, respond: }] }", "notes:/a/b"),
        CommonMistake(
            "- group: /a\n  routes: [{ route: /b, respond: }]", "such as { prefix: /a, routes: [] }",
            "- group: { prefix: /a, routes: [{ route: /b, respond: }] }", "notes:/a/b"),
    ]

    static let stages: [CommonMistake] = [
        .route("run: [ls]", "did you mean 'exec'?", "exec: [ls]"),
        .route("respnd: { r: x }", "did you mean 'respond'?", "respond: { r: x }", "r=x"),
        .route("exec: echo hello", "each word", "exec: [echo, hello]"),
        .route("exec: [echo hello]", "each word", "exec: [echo, hello]"),
        .route("exec: date | wc -c", "write [sh, -c, ", "exec: [sh, -c, 'date | wc -c']"),
        .route("exec: [date, '|', wc]", "or [sh, -c, ", "exec: [sh, -c, 'date | wc']"),
        .route("exec: [ls, '&&', ls]", "or [sh, -c, ", "exec: [sh, -c, 'ls && ls']"),
        .route("exec: [cat, ~/notes]", "or [sh, -c, ", "exec: [sh, -c, 'cat ~/notes']"),
        .route("exec: [cat, $HOME/notes]", "or [sh, -c, ", "exec: [sh, -c, 'cat $HOME/notes']"),
        .route("exec: [ls]\n  env: [A=b]", "such as { NAME: value }", "exec: [ls]\n  env: { A: b }"),
        .route("user: self\n  respond:", "'policies: [{ user: … }]'", "policies: [{ user: self }]\n  respond:"),
        .route(
            "policy: [{ user: self }]\n  respond:", "did you mean 'policies'?", "policies: [{ user: self }]\n  respond:"
        ),
        .route("policies: [log]\n  respond:", "belongs under 'middleware'", "middleware: [log]\n  respond:"),
        .route("log: true\n  respond:", "'middleware: [log]'", "middleware: [log]\n  respond:"),
        .route(
            "policies: [{ user: 'root,daemon' }]\n  respond:", "write a list, [root, daemon]",
            "policies: [{ user: [root, daemon, self] }]\n  respond:"),
        .route(
            "policies: [{ user: root,daemon }]\n  respond:", "as a list, [a, b]",
            "policies: [{ user: [root, daemon, self] }]\n  respond:"),
        .route(
            "policies: [{ user: Self }]\n  respond:", "did you mean 'self'?", "policies: [{ user: self }]\n  respond:"),
        .route(
            "policies: [{ origin: desktop }]\n  respond:", "write 'public: true' for the desktop",
            "public: true\n  respond:"),
        .route(
            "policies: [{ origin: agent }]\n  respond:", "'agent: true' for assistants",
            "policies: [{ origin: socket }]\n  respond:"),
        .route(
            "strict: true\n  input: { t: string }\n  policies: [{ require: [t=b] }]\n  respond:",
            "a value is demanded by '{ t: b }'",
            "strict: true\n  input: { t: string }\n  policies: [{ require: { t: b } }]\n  respond:"),
        .route("redirect: note:/a", "did you mean 'notes'?", "redirect: notes://b\n- route: /b\n  respond:"),
        .route(
            "policies: [{ origin: web }]\n  respond:", "did you mean 'desktop'?",
            "policies: [{ origin: [desktop, socket] }]\n  respond:"),
    ]

    @Test(arguments: patterns + placeholders)
    func aMistakeInAPatternOrAPlaceholderLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: types + words)
    func aMistakeInAWordLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: yaml + stages)
    func aMistakeInWhatStandsWhereLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }
}
